const KEY = 'paw.token';

// Another tab answers in a few milliseconds, unless the machine is busy. The other ones answer soon after it.
const ANSWER_MS = 2000;
const OTHER_ANSWERS_MS = 50;

/** What the tabs of the gateway say to each other: a request for the kept token, its answer, or that all forget theirs. */
type TabMessage = 'ask' | 'forget' | { readonly token: string; readonly lastUseMs: number };

// An origin can have several gateways, each below a path prefix.
const tabs = withStorage(() => new BroadcastChannel(KEY + new URL('.', location.href).pathname));

let lastUseMs = Date.now();
for (const type of ['pointerdown', 'keydown']) {
  addEventListener(type, () => {
    lastUseMs = Date.now();
  });
}

/** Returns the token that the person keeps for this tab, or undefined. */
export function keptToken(): string | undefined {
  return withStorage((storage) => storage.getItem(KEY)) ?? undefined;
}

/** Keeps a token until the tab is closed. The console, GraphiQL and the REST reference share it, also in other tabs. */
export function keepToken(token: string): void {
  withStorage((storage) => storage.setItem(KEY, token));
}

/** Removes the kept token, if there is one, from this tab. */
export function forgetToken(): void {
  withStorage((storage) => storage.removeItem(KEY));
}

/** Lets the other tabs forget their tokens. */
export function tellTabsToForget(): void {
  tabs?.postMessage('forget' satisfies TabMessage);
}

/**
 * Gives the kept token to new tabs, and forgets it when another tab says so.
 *
 * @param onForget called when that has happened
 */
export function shareToken(onForget: () => void): void {
  tabs?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    const token = keptToken();
    if (data === 'ask' && token !== undefined) tabs.postMessage({ token, lastUseMs } satisfies TabMessage);
    if (data !== 'forget') return;
    forgetToken();
    onForget();
  });
}

/** Returns the token of the tab that was used last of those that keep one, or undefined if no other tab keeps one. */
export function tokenOfOtherTab(): Promise<string | undefined> {
  const answers: Exclude<TabMessage, string>[] = [];
  const listening = new AbortController();
  return new Promise((resolve) => {
    const finish = () => {
      listening.abort();
      resolve(answers.toSorted((one, other) => other.lastUseMs - one.lastUseMs)[0]?.token);
    };
    const listen = ({ data }: MessageEvent<TabMessage>) => {
      if (data === 'forget') answers.length = 0;
      if (typeof data !== 'object') return;
      answers.push(data);
      setTimeout(finish, OTHER_ANSWERS_MS);
    };
    tabs?.addEventListener('message', listen, listening);
    tabs?.postMessage('ask' satisfies TabMessage);
    setTimeout(finish, ANSWER_MS);
  });
}

/**
 * Fills the page's input field with the kept token, or that of another tab. What is typed into the field replaces the
 * kept token, and is not kept if none was kept before.
 *
 * @param onToken called with the token in the field: at once, and after each change
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
  if (kept === undefined) {
    onToken(field.value.trim());
    tokenOfOtherTab().then((token) => token !== undefined && field.value === '' && keep(token));
  } else {
    keep(kept);
  }
  shareToken(() => {
    isKept = false;
    show('');
  });
  field.addEventListener('input', () => {
    const token = field.value.trim();
    if (isKept && token) keepToken(token);
    else if (isKept) forgetToken();
    onToken(token);
  });
}

/** Returns the `authorization` header with the token in the page's input field, or no header if the field is empty. */
export function authorization(): Record<string, string> {
  const token = tokenField().value.trim();
  return token ? { authorization: `Bearer ${token}` } : {};
}

function tokenField(): HTMLInputElement {
  const field = document.querySelector<HTMLInputElement>('#token');
  if (field === null) throw new Error('The page has no element #token.');
  return field;
}

/** Uses the storage of the tab. In a browser that blocks it, nothing is kept or given to other tabs. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}
