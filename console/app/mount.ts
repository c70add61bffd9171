const element = document.querySelector<HTMLElement>('#console');
if (element === null) throw new Error('The page has no element #console.');

/** The element of the page that the console fills. */
export const container = element;

/** How the operator calls the command `paw`. */
export const COMMAND = element.dataset['command'] ?? '';
