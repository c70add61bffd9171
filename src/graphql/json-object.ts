/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a JSON value is an object, and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
