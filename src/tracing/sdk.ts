// Under this key, the API keeps what an SDK has registered.
const API = Symbol.for('opentelemetry.js.api.1');

/**
 * Returns whether the process was started with an SDK of OpenTelemetry, which can record traces. The API is not imported
 * to find this out, because its import takes about 20 ms.
 */
export function isSdkLoaded(): boolean {
  const registered: unknown = Reflect.get(globalThis, API);
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}
