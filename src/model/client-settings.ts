/**
 * The environment variables of a program that calls the gateway, by the options of `createFetch`. The commands, the console
 * and the documentation use these names. The gateway reads none of them.
 */
export const CLIENT_SETTINGS = {
  url: 'PAW_URL',
  token: 'PAW_TOKEN',
  clientId: 'PAW_CLIENT_ID',
  clientSecret: 'PAW_CLIENT_SECRET',
} as const;

type Option = keyof typeof CLIENT_SETTINGS;

/** Returns the lines that set them, for a shell and for readers of `.env` files, such as `node --env-file`. */
export function clientSettings(values: Readonly<Partial<Record<Option, string>>>): string {
  const lines = Object.entries(values).map(
    ([option, value]) => `${CLIENT_SETTINGS[option as Option]}=${value}`,
  );
  return lines.join('\n');
}
