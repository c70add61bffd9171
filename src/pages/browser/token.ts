/** The headers that carry the bearer token of the page's field, if there is one. It is kept nowhere else. */
export function authorization(): Record<string, string> {
  const token = document.querySelector<HTMLInputElement>('#token')?.value.trim();
  return token ? { authorization: `Bearer ${token}` } : {};
}
