/** Old places of the documentation, `<page>` or `<page>#<section>`, and the places of their content now. */
export const MOVED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'api#tokens': 'authentication#tokens',
    'api#read-only-tokens-and-tokens-for-one-project':
      'authentication#read-only-tokens-and-tokens-for-one-project',
    'api#rotate-a-private-key': 'authentication#rotate-a-private-key',
    'api#revoke-a-token': 'authentication#revoke-a-token',
    'api#oauth': 'authentication#oauth',
    'api#errors': 'errors#errors',
    'api#rate-limits': 'errors#rate-limits',
    'api#limits': 'errors#limits',
    'api#console': 'console',
    'api#graphiql': 'console#graphiql',
    'troubleshooting#every-request-is-refused': 'errors#errors',
    'troubleshooting#one-request-is-refused': 'errors#errors',
    'troubleshooting#a-change': 'errors#errors',
    'troubleshooting#oauth': 'errors#errors',
    'troubleshooting#too-much-too-large-too-often': 'errors#errors',
    'troubleshooting#a-command-fails': 'errors#errors',
  }),
);

/** Returns the address of a place below `/docs/`. */
export function addressOf(place: string): string {
  return place.replace(/#|$/, '.md$&');
}
