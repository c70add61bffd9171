import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderDocs } from '../../../console/documentation/render.ts';
import { createSearch, lineOf, partsOf } from '../../../console/documentation/sections.ts';

/** What people type, and the ends of the addresses of the sections that answer it. */
const QUESTIONS = `
login = authentication.md#tokens authentication.md #how-do-i-add-users-roles-and-single-sign-on
sso = #how-do-i-add-users-roles-and-single-sign-on
mock = testing.md #is-there-a-mock-server-for-tests
environment variables = #settings
rotate key = #rotate-a-private-key #apps
error codes = #errors
move from sqlite to postgres = #from-sqlite-to-postgresql
node version = #installation
windows = #installation #does-it-run-on-windows
docker = #containers #how-do-i-run-it-in-docker-without-compose
kubernetes = #kubernetes
helm = #kubernetes #is-there-a-helm-chart
python = #authlib #which-client-is-there-for-go-python-and-php
webhook = #how-do-i-get-a-webhook #following-events
rate limit = #rate-limits #rates
429 = #rate-limits #errors
idempotency = #repeating-a-request
pagination = #pagination
cursor = #pagination
playground = #graphiql
apollo sandbox = #graphiql #the-console-and-the-pages #settings
backup = backup.md#backup-and-restore
restore = backup.md#backup-and-restore
upgrade = #upgrade #8-upgrade
rollback = #upgrade #8-upgrade #how-do-i-roll-back
healthcheck = #health #which-paths-are-the-health-checks
cors = #cors
csrf = #graphql-requests #cors
jwt = authentication.md#tokens #is-a-token-a-jwt
api key = authentication.md#tokens
read only token = #read-only-tokens-and-tokens-for-one-project authentication.md#tokens
who changed a wallet = #audit #where-is-the-audit-log
delete project = #projects-and-wallets #how-do-i-delete-a-wallet-or-a-project
archive = #wallets #how-do-i-delete-a-wallet-or-a-project #can-i-archive-a-project
testnet = #fields #which-networks-are-there
sepolia = #fields #which-networks-are-there
solana = #which-networks-are-there
bitcoin = #which-networks-are-there
import = #import-projects-and-wallets
export = #export-an-account #how-do-i-export-everything
metrics = #metrics
grafana = #metrics
audit log = #audit
why are two updates one event = #equal-acts

install = #installation #1-install
quick start = getting-started.md
change port = #settings #1-start-the-server
https = #5-add-tls #reverse-proxies
nginx = #reverse-proxies #containers
create token = #tokens
token expired = #the-account-token-has-expired #when-the-token-expires #a-client-gets-401-since-last-night
lost private key = #rotate-a-private-key #apps
revoke token = #revoke-a-token #tokens
401 unauthorized = #a-client-gets-401-since-last-night #errors
permission denied = #errors
postgres connection string = #url
too many connections = #outages-and-conflicts limits.md#postgresql #requests-and-connections
multiple instances = #several-instances #4-start-two-instances #scaling
logging = #log
opentelemetry = #traces
prometheus = #metrics #6-collect-metrics-and-be-alerted
memory usage = #memory
typescript client = #fetch #rest #generated-types clients.md
curl example = getting-started.md #3-let-an-app-update-the-wallet #rest-requests
rest api = api.md #operations #rest #rest-requests
openapi = api.md #rest
graphql schema = api.md #generated-types
introspection disabled = #settings #graphql-requests
subscriptions = #graphql-requests #following-events #how-do-i-get-a-webhook
bulk create wallets = #fill-the-directory #import-projects-and-wallets
filter wallets = #finding
rename an app = #operations
update an app = #operations
list wallets over REST = #operations
wrong key = #errors authentication.md#tokens
sort order = #pagination #finding
concurrent update = #conditional-updates
retry safely = #repeating-a-request
unit testing = testing.md
read replica = #read-replicas
.env file = #settings #3-configure-the-gateway
systemd = #4-start-two-instances #containers
database is locked = #outages #sqlite
disk full = #outages #sqlite
uninstall = #installation
supported networks = #fields #which-networks-are-there
behind a proxy = #reverse-proxies #how-do-i-put-it-behind-caddy-or-traefik
react app = browser.md #an-application-with-vite #apollo-client #relay
`;

const questions = [...QUESTIONS.matchAll(/^(.+) = (.+)$/gm)].map(([, query = '', ends = '']) => ({
  query,
  ends: ends.split(' '),
}));

async function readSections() {
  const folder = await mkdtemp(join(tmpdir(), 'paw-docs-'));
  const sections = await renderDocs(folder);
  await rm(folder, { recursive: true });
  return sections;
}

test('the section that answers a question is the first for 85 %, and among the first three for 95 %', async () => {
  const sections = await readSections();
  const isOneOf = (id: string, ends: readonly string[]) => ends.some((end) => id.endsWith(end));
  const unanswered = questions.filter(({ ends }) => !sections.some(({ id }) => isOneOf(id, ends)));
  expect(unanswered).toEqual([]);
  const { find } = createSearch(sections);
  const missedIn = (count: number) =>
    questions.flatMap(({ query, ends }) => {
      const first = find(query).slice(0, count);
      return first.some(({ id }) => isOneOf(id, ends)) ? [] : query;
    });
  expect(questions).toHaveLength(88);
  expect(missedIn(1).length, missedIn(1).join()).toBeLessThanOrEqual(0.15 * questions.length);
  expect(missedIn(3).length, missedIn(3).join()).toBeLessThanOrEqual(0.05 * questions.length);
});

const sectionOf = (id: string, title: string, text = '', also = '') => ({
  id,
  title,
  page: 'Docs',
  also,
  text,
});

/** Returns the addresses of the sections that a query finds, the best first. */
function search(query: string, sections: readonly ReturnType<typeof sectionOf>[]) {
  return createSearch(sections)
    .find(query)
    .map(({ id }) => id);
}

test('a section with all words comes before one with some, and a heading, or another word for it, before text', () => {
  const sections = [
    sectionOf('text', 'Rules', 'A token is revoked by its owner, and a revoked token stays in the list.'),
    sectionOf('heading', 'Revoke a token'),
    sectionOf('also', 'The end', 'Of a session.', 'revoke a token, sign out'),
    sectionOf('some', 'Tokens'),
  ];
  expect(search('revoking tokens', sections)).toEqual(['heading', 'also', 'text', 'some']);
  expect(search('how do I sign out?', sections)).toEqual(['also']);
  expect(search('revoke zebra', sections)).toEqual(['heading', 'also', 'text']);
});

test.each([
  ['migrations', 'another form of a word', 'Migrate'],
  ['migr', 'an incomplete word', 'Migrate'],
  ['quick start', 'one word that is typed as two', 'Quickstart'],
  ['healthcheck', 'two words that are typed as one', 'Check the health'],
  ['pagnation', 'a misspelled word', 'Pagination'],
  ['create token', 'the parts of a name', 'Use createToken'],
])('“%s” finds %s', (query, _, title) => {
  expect(search(query, [sectionOf('other', 'Wallets'), sectionOf('found', title)])).toEqual(['found']);
});

test('what is not found has three pages that are near, or the first three', () => {
  const { find, near } = createSearch(
    ['One', 'Two', 'Three', 'Monitoring'].flatMap((title) => [
      sectionOf(`${title}.md`, title),
      sectionOf(`${title}.md#more`, 'More'),
    ]),
  );
  const nearTo = (query: string) => near(query).map(({ id }) => id);
  expect(find('zzz')).toEqual([]);
  expect(nearTo('zzz')).toEqual(['One.md', 'Two.md', 'Three.md']);
  expect(nearTo('monitxxing')).toEqual(['Monitoring.md', 'One.md', 'Two.md']);
});

test('a line has most words of the query, each marked in the form that it has there', () => {
  const filler = 'Nothing to see in here. '.repeat(30);
  const text = `${filler}A token is old. ${filler}The tokens that createApp made are revoked at once. ${filler}`;
  const [found] = createSearch([sectionOf('id', 'Tokens', text)]).find('create token revoke');
  if (found === undefined) throw new Error('Nothing was found.');
  const line = lineOf(found);
  expect(line.filter(({ isWord }) => isWord).map((part) => part.text)).toEqual([
    'tokens',
    'createApp',
    'revoked',
  ]);
  expect(line.map((part) => part.text).join('')).toMatch(
    /^… .*The tokens that createApp made are revoked at once\./,
  );
  expect(partsOf('Tokens', found)).toContainEqual({ text: 'Tokens', isWord: true });
});

test('the words in a comment below a heading are those of its section, and are not shown', async () => {
  const sections = await readSections();
  const started = sections.find(({ id }) => id === 'getting-started.md');
  expect(started?.also).toContain('quickstart');
  expect(sections.filter(({ title, text }) => `${title} ${text}`.includes('also: '))).toEqual([]);
});
