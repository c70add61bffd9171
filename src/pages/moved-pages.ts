/** Headings that moved to a page as they are: the old page, the new page, and their ids. */
const MOVED_HEADINGS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  api: {
    authentication: [
      'tokens',
      'read-only-tokens-and-tokens-for-one-project',
      'rotate-a-private-key',
      'revoke-a-token',
      'oauth',
    ],
    errors: ['errors', 'rate-limits', 'limits'],
    console: ['graphiql'],
  },
  commands: {
    backup: [
      'audit',
      'backup-and-restore',
      'one-account',
      'yesterdays-state-of-one-account',
      'what-a-backup-contains',
      'upgrade',
      'old-instances-on-a-newer-schema',
    ],
  },
  production: {
    deploy: [
      'reverse-proxies',
      'containers',
      'kubernetes',
      'before',
      'apply',
      'what-to-know',
      'scaling',
      'several-instances',
      'one-port',
    ],
  },
  postgresql: {
    citus: [
      'sharding',
      'from-one-postgresql-to-a-cluster',
      'a-worker-that-is-down',
      'an-old-node-that-starts-again',
      'a-node-that-was-removed',
      'limits-of-citus',
    ],
    benchmarks: ['estimate-for-one-billion-projects'],
  },
  clients: {
    testing: ['five-tests'],
    federation: ['compose', 'hive-gateway', 'apollo-router', 'cosmo-router', 'what-to-know'],
  },
};

/** Old places of the documentation, `<page>` or `<page>#<section>`, and the places of their content now. */
export const MOVED: ReadonlyMap<string, string> = new Map([
  ...Object.entries(MOVED_HEADINGS).flatMap(([page, targets]) =>
    Object.entries(targets).flatMap(([target, ids]) =>
      ids.map((id) => [`${page}#${id}`, `${target}#${id}`] as const),
    ),
  ),
  ...Object.entries({
    'api#console': 'console',
    'troubleshooting#every-request-is-refused': 'errors#errors',
    'troubleshooting#one-request-is-refused': 'errors#errors',
    'troubleshooting#a-change': 'errors#errors',
    'troubleshooting#oauth': 'errors#errors',
    'troubleshooting#too-much-too-large-too-often': 'errors#errors',
    'troubleshooting#a-command-fails': 'errors#errors',
    'production#from-nothing-to-production': 'production#production-step-by-step',
    'running#running-the-gateway': 'running#install-and-configure',
    'postgresql#citus': 'citus',
    'how-do-i': 'faq',
    'getting-started#in-a-program': 'getting-started#next-steps',
    'clients#tests-of-an-integration': 'testing',
    'clients#behind-a-graphql-gateway': 'federation',
    'clients#what-the-graph-gets': 'federation#entities-and-operations',
  }),
]);

/** Returns the address of a place below `/docs/`. */
export function addressOf(place: string): string {
  return place.replace(/#|$/, '.md$&');
}
