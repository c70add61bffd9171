/**
 * The environment variables of a program that calls the gateway, by the options of the client package. Examples, documents and
 * the console use these names. The gateway reads none of them.
 */
export const CLIENT_SETTINGS = {
  url: 'PAW_URL',
  token: 'PAW_TOKEN',
  clientId: 'PAW_CLIENT_ID',
  clientSecret: 'PAW_CLIENT_SECRET',
} as const;

/** Returns the lines that set them, for a shell, for `node --env-file` and for other readers of `.env` files. */
export function clientSettings(values: Partial<Record<keyof typeof CLIENT_SETTINGS, string>>): string {
  return (Object.keys(CLIENT_SETTINGS) as (keyof typeof CLIENT_SETTINGS)[])
    .flatMap((option) => (values[option] === undefined ? [] : `${CLIENT_SETTINGS[option]}=${values[option]}`))
    .join('\n');
}
