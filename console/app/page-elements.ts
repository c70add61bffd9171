/** The element of the page that the console fills. */
export const container = elementOf('#console');

/** The element in the bar of the page for the links of the console. */
export const linksInBar = elementOf('#links');

/** The element in the bar of the page for the search and the menu of the session. */
export const controlsInBar = elementOf('#controls');

/** How the operator calls the command `paw`. */
export const COMMAND = container.dataset['command'] ?? '';

function elementOf(selector: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(selector);
  if (element === null) throw new Error(`The page has no element ${selector}.`);
  return element;
}
