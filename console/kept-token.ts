const KEY = 'paw.token';

// An origin can have several gateways, each below a path prefix.
const ROOT = new URL('.', location.href);

// Any script of the origin can read and send messages, so they contain no token.
const FORGET = 'forget';

const tabs = withStorage(() => new BroadcastChannel(KEY + ROOT.pathname));

const MIDDLE_BUTTON = 1;

/** The number of characters after the start of a token, such as `paw_acct_`. */
export const SECRET_LENGTH = 125;

const CREDENTIAL = new RegExp(`paw_(?:acct|app|key)_\\w{0,${SECRET_LENGTH}}`);

/** Returns an entered token alone. White space, quotes, and the text around it are often copied with it. */
export function enteredToken(text: string): string {
  const joined = text.replace(/[\s"'`]/g, '');
  const [token = joined] = CREDENTIAL.exec(joined) ?? [];
  return token;
}

/** Returns the token that the user keeps for this tab, or undefined. */
export function keptToken(): string | undefined {
  return withStorage((storage) => storage.getItem(KEY)) ?? undefined;
}

/** Keeps a token until the tab is closed. The console, GraphiQL and the REST reference share it. */
export function keepToken(token: string): void {
  withStorage((storage) => storage.setItem(KEY, token));
}

/** Removes the kept token, if there is one, from this tab. */
export function forgetToken(): void {
  withStorage((storage) => storage.removeItem(KEY));
}

/** Lets the other tabs forget their tokens. */
export function tellTabsToForget(): void {
  tabs?.postMessage(FORGET);
}

/**
 * Gives the kept token to the tabs in which links of the page are opened, and forgets it when another tab says so.
 *
 * @param onForget called when that has happened
 */
export function shareToken(onForget: () => void): void {
  for (const type of ['click', 'auxclick'] as const) addEventListener(type, openTab);
  tabs?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data !== FORGET) return;
    forgetToken();
    onForget();
  });
}

/** Opens the link of a click in a new tab. The storage of a tab that a script opens is a copy. In one that the browser opens, it is empty. */
function openTab(event: MouseEvent): void {
  const { target, button, ctrlKey, metaKey, shiftKey, defaultPrevented } = event;
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null;
  const isElsewhere = ctrlKey || metaKey || shiftKey || link?.target === '_blank';
  const isNewTab = button === MIDDLE_BUTTON || (button === 0 && isElsewhere);
  if (defaultPrevented || !isNewTab || !link?.href.startsWith(ROOT.href)) return;
  event.preventDefault();
  open(link.href);
}

/**
 * Fills the page's input field with the kept token. A text typed into the field replaces the kept token, and is not kept
 * if none was kept before.
 *
 * @param onToken called with the token in the field: immediately, and after each change
 */
export function connectTokenField(onToken: (token: string) => void = () => {}): void {
  const field = tokenField();
  let isKept = false;
  const show = (token: string) => {
    field.value = token;
    onToken(token);
  };
  const keep = (token: string) => {
    isKept = true;
    keepToken(token);
    show(token);
  };
  const kept = keptToken();
  if (kept === undefined) onToken(enteredToken(field.value));
  else keep(kept);
  shareToken(() => {
    isKept = false;
    show('');
  });
  field.addEventListener('input', () => {
    const token = enteredToken(field.value);
    if (isKept && token) keepToken(token);
    else if (isKept) forgetToken();
    onToken(token);
  });
}

/** Returns the `authorization` header with the token in the page's input field, or no header if the field is empty. */
export function authorization(): Record<string, string> {
  const token = enteredToken(tokenField().value);
  return token ? { authorization: `Bearer ${token}` } : {};
}

function tokenField(): HTMLInputElement {
  const field = document.querySelector<HTMLInputElement>('#token');
  if (field === null) throw new Error('The page has no element #token.');
  return field;
}

/** Uses the storage of the tab. In a browser that blocks it, nothing is kept, and tabs do not tell each other to forget. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}
