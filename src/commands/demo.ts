import { type Config, readConfig } from '../config.ts';
import { createAccountToken } from '../data/create-account-token.ts';
import { createSamples, type Samples } from '../data/create-samples.ts';
import { revokeToken } from '../data/revoke-token.ts';
import { projectView } from '../model/project.ts';
import { idGenerator } from '../model/resource-name.ts';
import { walletView } from '../model/wallet.ts';
import type { ServerInfo } from '../server.ts';
import { migrate } from '../storage/migrate.ts';
import type { Command } from './command.ts';
import { serveUntilStopped } from './serve.ts';
import { whileOpen } from './with-database.ts';

const DATABASE_URL = 'sqlite:data/demo.db';

// The file descriptor of the log. Standard output contains only the instructions or the JSON.
const STANDARD_ERROR = 2;

const TOKEN_TTL_SECONDS = 90 * 86_400;

const ADMIN = { clock: Date.now, newId: idGenerator(Date.now) };

export const demo: Command = {
  name: 'demo',
  summary: 'Runs the server with sample data and prints example requests.',
  options: {},
  async run(args) {
    const environment = {
      ...args.environment,
      DATABASE_URL: args.environment['DATABASE_URL'] || DATABASE_URL,
      LOG_LEVEL: args.environment['LOG_LEVEL'] || 'warn',
      PAW_LOG_REQUESTS: args.environment['PAW_LOG_REQUESTS'] || 'errors',
      PAW_STOP_DELAY: args.environment['PAW_STOP_DELAY'] || '0s',
    };
    const config = readConfig(environment);
    const { accessToken, ...samples } = await prepare(config);
    let isPrinted = false;
    const print = ({ url, publicUrl, explorers }: ServerInfo) => {
      const projects = samples.projects.map((project) =>
        projectView({ ...project, imageCoverUrl: publicUrl + project.imageCoverUrl }),
      );
      const wallets = samples.wallets.map(walletView);
      const pages = [
        `${url}/`,
        ...(explorers ? [`${url}/graphiql`, `${url}/docs`] : []),
        ...(config.sandbox ? [`${url}/graphql (Apollo Sandbox, from the internet)`] : []),
      ];
      args.print(
        { url, accessToken, projects, wallets },
        instructions(url, pages, accessToken, wallets[0]?.name),
      );
      isPrinted = true;
    };
    try {
      await serveUntilStopped(config, STANDARD_ERROR, print);
    } finally {
      // Nobody knows the token.
      if (!isPrinted) {
        await whileOpen(config.databaseUrl, config, (database) =>
          revokeToken({ ...ADMIN, database }, 'operator', accessToken),
        );
      }
    }
  },
};

/** Migrates the database, creates the sample data if the database is empty, and issues an account token. */
async function prepare({ databaseUrl, postgres }: Config): Promise<Samples & { accessToken: string }> {
  return whileOpen(databaseUrl, { postgres }, async (database) => {
    await migrate(database, Date.now());
    // The URL of the server is added to these URLs when the server listens.
    const admin = { ...ADMIN, database, publicUrl: () => '' };
    const samples = await createSamples(admin);
    // The token of an earlier start can't be printed again: only its hash is stored.
    const { accessToken } = await createAccountToken(admin, { account: samples.account }, TOKEN_TTL_SECONDS);
    return { ...samples, accessToken };
  });
}

/** Returns the instructions for the user, with requests to paste into a terminal. */
function instructions(
  url: string,
  pages: readonly string[],
  accessToken: string,
  wallet = 'wallets/<ULID>',
): string {
  const graphql = (query: string, variables = '') =>
    `curl -sw '\\n' $PAW/graphql -H "$AUTH" -H "$JSON" -d '{"query":"${query}"${variables && `,"variables":${variables}`}}'`;
  return `PAW gateway with sample data, at ${url}

Open in a browser, with the token ${accessToken}:
${pages.map((page) => `  ${page}`).join('\n')}

Or paste these into another terminal:

PAW=${url}
AUTH="Authorization: Bearer ${accessToken}"
JSON="Content-Type: application/json"

# List projects, with REST and with GraphQL
curl -sw '\\n' "$PAW/project/projects?pageSize=2" -H "$AUTH"
${graphql('{ projects(first: 2) { totalCount nodes { name title } pageInfo { endCursor hasNextPage } } }')}

# Update a wallet, with REST and with GraphQL
curl -sw '\\n' -X PATCH $PAW/wallet/${wallet} -H "$AUTH" -H "$JSON" -d '{"title":"Treasury"}'
${graphql(
  'mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { name title project { title } } } }',
  `{"input":{"name":"${wallet}","description":"Cold storage"}}`,
)}

# Create an app, with GraphQL and with REST, and store the private key of the second
${graphql(
  'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { name privateKey } } }',
  '{"input":{"title":"Back office","active":true}}',
)}
APP=$(curl -s $PAW/auth/apps -H "$AUTH" -H "$JSON" -d '{"title":"Till","active":true}'); echo "$APP"
KEY=$(echo "$APP" | sed -E 's/"title":"[^"]*",|,"active":[a-z]*//g')

# Sign in with this key, with REST and with GraphQL
curl -sw '\\n' $PAW/auth/accounts:signinIdentity -H "$AUTH" -H "$JSON" -d '{"privateKey":'"$KEY"'}'
${graphql('mutation ($input: SignInInput!) { signIn(input: $input) { accessToken expireTime } }', `{"input":'"$KEY"'}`)}

Stop with Ctrl+C.`;
}
