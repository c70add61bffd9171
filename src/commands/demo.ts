import { readConfig } from '../config.ts';
import { projectFromRow, walletFromRow } from '../data/from-row.ts';
import { idOf, resourceName, type Ulid } from '../model/resource-name.ts';
import { projectView, walletView } from '../rest/views.ts';
import { findFirstAccount } from '../storage/accounts.ts';
import { findProjectPage } from '../storage/projects.ts';
import { listWallets } from '../storage/wallets.ts';
import { createAccount } from './account-create.ts';
import type { Command } from './command.ts';
import { createProject } from './project-create.ts';
import { serveUntilStopped } from './serve.ts';
import { createAccountToken } from './token-create.ts';
import { createWallet } from './wallet-create.ts';
import { type AdminContext, withDatabase } from './with-database.ts';

const DATABASE_URL = 'sqlite:data/demo.db';

// Standard output is for what the demo prints.
const STANDARD_ERROR = 2;

const TOKEN_LIFE_SECONDS = 90 * 86_400;

const SHOWN = 100;

const ACCOUNT = 'Atlas Studio';

const PROJECTS = [
  ['Harbour', 'Custody for a small fleet of fishing boats.'],
  ['Meridian', 'Settlement between two time zones.'],
  ['Copperleaf', 'Vouchers for a chain of plant nurseries.'],
  ['Nightjar', 'Payments for a late-night radio station.'],
  ['Quarry', 'Escrow for stone, by the tonne.'],
  ['Saltmarsh', 'Grants for a coastal reserve.'],
  ['Tinderbox', 'Prepaid wallets for a music festival.'],
  ['Vellum', 'Royalties for a hundred bookbinders.'],
  ['Windrose', 'Fuel cards for glider clubs.'],
  ['Yarrow', 'Dues of a herbalists’ guild.'],
  ['Bellwether', 'Treasury of a wool cooperative.'],
  ['Cinder', 'Deposits for returnable gas bottles.'],
  ['Driftwood', 'Donations to beach clean-ups.'],
  ['Ember', 'Tips for street cooks.'],
  ['Fathom', 'Day rates of commercial divers.'],
  ['Glasswing', 'Tickets to a butterfly house.'],
  ['Hawthorn', 'Rents along a city hedge.'],
  ['Ironbark', 'Carbon credits of a eucalyptus farm.'],
  ['Juniper', 'Tabs of a distillery’s bar.'],
  ['Kestrel', 'Bounties for a security team.'],
  ['Lantern', 'Micro-loans for night markets.'],
  ['Mosaic', 'Shares in a co-owned studio.'],
  ['Nimbus', 'Pay-as-you-go weather data.'],
  ['Orchard', 'Harvest advances for cider makers.'],
] as const;

// Source: the examples of EIP-55.
const WALLETS = [
  ['Operations', 'NETWORK_ETHEREUM', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
  ['Payouts', 'NETWORK_POLYGON', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
] as const;

export const demo: Command = {
  name: 'demo',
  summary: 'Runs the server with sample data and prints what to try.',
  options: {},
  async run(args) {
    const environment = {
      ...args.environment,
      DATABASE_URL: args.environment['DATABASE_URL'] || DATABASE_URL,
      LOG_LEVEL: args.environment['LOG_LEVEL'] || 'warn',
    };
    const samples = await withDatabase(environment, prepare);
    const config = readConfig(environment);
    await serveUntilStopped(config, STANDARD_ERROR, ({ url, publicUrl, explorers }) => {
      const projects = samples.projects.map((row) => projectView(projectFromRow(row, publicUrl)));
      const wallets = samples.wallets.map((row) => walletView(walletFromRow(row)));
      const { accessToken } = samples;
      const pages = [
        `${url}/`,
        ...(explorers ? [`${url}/graphiql`, `${url}/docs`] : []),
        ...(config.sandbox ? [`${url}/graphql (Apollo Sandbox, from the internet)`] : []),
      ];
      args.print(
        { url, accessToken, projects, wallets },
        instructions(url, pages, accessToken, wallets[0]?.name),
      );
    });
  },
};

/** Fills the database if it is empty, and makes a new token, since an earlier one cannot be read again. */
async function prepare(admin: AdminContext) {
  const { database } = admin;
  const account = (await findFirstAccount(database)) ?? (await seed(admin));
  const sent = { account: resourceName('accounts', account.id) };
  const { accessToken } = await createAccountToken(admin, sent, TOKEN_LIFE_SECONDS);
  const page = { direction: 'forward', size: SHOWN, position: undefined } as const;
  const { items: projects } = await findProjectPage(database, account.id, page);
  return { accessToken, projects, wallets: await listWallets(database, account.id, SHOWN) };
}

async function seed({ database, clock, newId }: AdminContext): Promise<{ id: Ulid }> {
  return database.transaction(async (transaction) => {
    // All or nothing: a start that is cut short must not leave a demo half filled.
    const admin: AdminContext = {
      database: { query: transaction.query, transaction: (work) => work(transaction) },
      clock,
      newId,
    };
    const { name: account, defaultProject: project } = await createAccount(admin, ACCOUNT);
    for (const [title, description] of PROJECTS) await createProject(admin, { account, title, description });
    for (const [title, network, address] of WALLETS) {
      await createWallet(admin, { project, title, description: '', network, address });
    }
    return { id: idOf(account) };
  });
}

/** What to try, to be pasted as it is. */
function instructions(
  url: string,
  pages: readonly string[],
  accessToken: string,
  wallet = 'wallets/<ULID>',
): string {
  const graphql = (query: string, variables = '') =>
    `curl -sw '\\n' $PAW/graphql -H "$AUTH" -H "$JSON" -d '{"query":"${query}"${variables && `,"variables":${variables}`}}'`;
  return `PAW gateway with sample data, on ${url}

Open in a browser, with the token ${accessToken}:
${pages.map((page) => `  ${page}`).join('\n')}

Or paste these into another terminal:

PAW=${url}
AUTH="Authorization: Bearer ${accessToken}"
JSON="Content-Type: application/json"

# List projects, by REST and by GraphQL
curl -sw '\\n' "$PAW/project/projects?pageSize=2" -H "$AUTH"
${graphql('{ projects(first: 2) { totalCount nodes { name title } pageInfo { endCursor hasNextPage } } }')}

# Update a wallet, by REST and by GraphQL
curl -sw '\\n' -X PATCH $PAW/wallet/${wallet} -H "$AUTH" -H "$JSON" -d '{"title":"Treasury"}'
${graphql(
  'mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { name title project { title } } } }',
  `{"input":{"name":"${wallet}","description":"Cold storage"}}`,
)}

# Create an app, by GraphQL and by REST, and keep the key of the second
${graphql(
  'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { name privateKey } } }',
  '{"input":{"title":"Back office","active":true}}',
)}
APP=$(curl -s $PAW/auth/apps -H "$AUTH" -H "$JSON" -d '{"title":"Till","active":true}'); echo "$APP"
KEY=$(echo "$APP" | sed -E 's/"title":"[^"]*",|,"active":[a-z]*//g')

# Sign in with it, by REST and by GraphQL
curl -sw '\\n' $PAW/auth/accounts:signinIdentity -H "$AUTH" -H "$JSON" -d '{"privateKey":'"$KEY"'}'
${graphql('mutation ($input: SignInInput!) { signIn(input: $input) { accessToken expireTime } }', `{"input":'"$KEY"'}`)}

Stop with Ctrl+C.`;
}
