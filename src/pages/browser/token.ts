const KEY = 'paw.token';

/** Returns the token that the person keeps for this tab, or undefined. */
export function keptToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Keeps a token until the tab is closed. The console, GraphiQL and the REST docs share it. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** Removes the kept token, if there is one. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}

/** Returns the `authorization` header with the token in the page's input field, or no header if the field is empty. */
export function authorization(): Record<string, string> {
  const token = document.querySelector<HTMLInputElement>('#token')?.value.trim();
  return token ? { authorization: `Bearer ${token}` } : {};
}
