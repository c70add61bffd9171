/** Returns the `authorization` header with the token in the page's input field, or no header if the field is empty. */
export function authorization(): Record<string, string> {
  const token = document.querySelector<HTMLInputElement>('#token')?.value.trim();
  return token ? { authorization: `Bearer ${token}` } : {};
}
