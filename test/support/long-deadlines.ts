/** The settings of a gateway whose deadlines no request or statement of a test exceeds, also on a busy machine. */
export const LONG_DEADLINES = { PAW_REQUEST_TIMEOUT: '1m', PAW_POSTGRES_TIMEOUT: '1m' };

/** The options of `openDatabase` for the same. */
export const LONG_TIMEOUT = { postgres: { poolSize: 10, timeoutMs: 60_000 } };
