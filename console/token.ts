const KEY = 'paw.token';

/** Returns the token that the person keeps for this tab, or undefined. */
export function keptToken(): string | undefined {
  return withStorage((storage) => storage.getItem(KEY)) ?? undefined;
}

/** Keeps a token until the tab is closed. The console, GraphiQL and the REST reference share it. */
export function keepToken(token: string): void {
  withStorage((storage) => storage.setItem(KEY, token));
}

/** Removes the kept token, if there is one. */
export function forgetToken(): void {
  withStorage((storage) => storage.removeItem(KEY));
}

/**
 * Fills the page's input field with the kept token. What is typed into the field replaces the kept token, and is not
 * kept if none was kept before.
 *
 * @param onToken called with the token in the field: at once, and after each change
 */
export function connectTokenField(onToken: (token: string) => void = () => {}): void {
  const field = tokenField();
  const kept = keptToken();
  if (kept !== undefined) field.value = kept;
  field.addEventListener('input', () => {
    const token = field.value.trim();
    if (kept !== undefined && token) keepToken(token);
    else if (kept !== undefined) forgetToken();
    onToken(token);
  });
  onToken(field.value.trim());
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

/** Uses the storage of the tab. In a browser that blocks it, nothing is kept. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}
