const items = new Map<string, string>();

/** A storage that a reload of the page clears, for libraries that would store private keys, passwords or settings. */
export const memoryStorage = {
  get length() {
    return items.size;
  },
  getItem: (key: string) => items.get(key) ?? null,
  setItem: (key: string, value: string) => void items.set(key, value),
  removeItem: (key: string) => void items.delete(key),
  clear: () => items.clear(),
};
