import { APOLLO_STUDIO, type Config, readConfig } from '../config.ts';
import { operatorContext } from '../data/call/call.ts';
import { createToken } from '../data/tokens/create-token.ts';
import { revokeToken } from '../data/tokens/revoke-token.ts';
import { ConfigError } from '../model/errors.ts';
import {
  graphqlRequest,
  requestOptions,
  restRequest,
  shellVariables,
} from '../model/fields/example-requests.ts';
import { projectView } from '../model/project.ts';
import { walletView } from '../model/wallet.ts';
import { assertOfSamples, createSamples, type Samples } from '../operator/create-samples.ts';
import type { ServerInfo } from '../server.ts';
import { migrate } from '../storage/jobs/run-migrations.ts';
import { readSchemaVersion } from '../storage/migrations/versions.ts';
import type { Command } from './cli/command.ts';
import { whileOpen } from './cli/with-database.ts';
import { serveUntilStopped } from './serve.ts';

// The file descriptor of the log. Standard output contains only the instructions or the JSON.
const STANDARD_ERROR = 2;

// The settings of a demo, unless the environment has others.
const SETTINGS = {
  DATABASE_URL: 'sqlite:data/demo.db',
  LOG_LEVEL: 'warn',
  PAW_LOG_REQUESTS: 'errors',
  // Applications that are being developed run on any port.
  PAW_CORS_ORIGINS: [APOLLO_STUDIO, 'http://localhost:*', 'http://127.0.0.1:*'].join(),
  PAW_STOP_DELAY: '0s',
};

export const demo: Command = {
  synopsis: 'demo',
  summary: 'Runs the server with sample data on HOST and PORT, and prints example requests.',
  async run({ print }) {
    const set = Object.entries(process.env).filter(([, value]) => value);
    const config = readConfig({ ...SETTINGS, ...Object.fromEntries(set) });
    if (!config.createDatabase) {
      throw new ConfigError(
        'NODE_ENV must not be production for "paw demo", which creates sample data and a token for it.',
      );
    }
    // Imported on demand, as by `serve`.
    const { readFiles } = await import('../server.ts');
    readFiles(config, { info: () => {} });
    const { accessToken, ...samples } = await prepare(config);
    let isPrinted = false;
    const printRequests = ({ url, publicUrl, console, explorers }: ServerInfo) => {
      const projects = samples.projects.map((project) =>
        projectView({ ...project, imageCoverUrl: publicUrl + project.imageCoverUrl }),
      );
      const wallets = samples.wallets.map(walletView);
      const pages = [
        ...(explorers ? [`${url}/graphiql`, `${url}/reference`] : []),
        ...(config.sandbox ? [`${url}/graphql (Apollo Sandbox, from the internet)`] : []),
      ];
      const text = `${console ? `${url}/console#token=${accessToken}` : `${url}/`}

PAW gateway with sample data.${pages.length > 0 ? ' In a browser:' : ''}
${pages.map((page) => `${page}\n`).join('')}
${requests(url, accessToken, wallets[0]?.name)}

Stop with Ctrl+C.`;
      print({ url, accessToken, projects, wallets }, text);
      isPrinted = true;
    };
    try {
      await serveUntilStopped(config, STANDARD_ERROR, printRequests);
    } finally {
      // No one knows the token.
      if (!isPrinted) {
        await whileOpen(config.databaseUrl, config, (database) =>
          revokeToken(operatorContext(database), accessToken),
        );
      }
    }
  },
};

/** Migrates the database, creates the sample data if the database is empty, and issues an account token. */
async function prepare({ databaseUrl, postgres }: Config): Promise<Samples & { accessToken: string }> {
  return whileOpen(databaseUrl, { postgres }, async (database) => {
    // Before someone else's database is migrated.
    if ((await readSchemaVersion(database)).version > 0) await assertOfSamples(database);
    await migrate(database, Date.now());
    // The URL of the server is added to these URLs when the server listens.
    const operator = operatorContext(database);
    const samples = await createSamples(operator);
    // The token of an earlier start can't be printed again: only its hash is stored.
    const { accessToken } = await createToken(operator, {
      account: samples.account,
      title: 'paw demo',
    });
    return { ...samples, accessToken };
  });
}

function requests(url: string, accessToken: string, wallet = 'wallets/<ULID>'): string {
  // A comment would be a command in zsh.
  return `Requests to paste into another terminal. Over REST, and then over GraphQL, they list projects, update a wallet, create an
app, and sign in with its key:

${shellVariables(url, accessToken)}
WALLET="${wallet}"

${restRequest('/project/projects?pageSize=2')}
${restRequest('/wallet/$WALLET', `-X PATCH -d '{"title":"Treasury"}'`)}
APP=$(curl -s ${requestOptions('/auth/apps', `-d '{"title":"Till","active":true}'`)}); echo "$APP"
KEY=$(echo "$APP" | sed -E 's/"title":"[^"]*",|,"active":[a-z]*//g')
${restRequest('/auth/accounts:signinIdentity', `-d '{"privateKey":'"$KEY"'}'`)}

${graphqlRequest('{ projects(first: 2) { totalCount nodes { name title } } }')}
${graphqlRequest(
  'mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { name title } } }',
  `{"input":{"name":"'"$WALLET"'","description":"Cold storage"}}`,
)}
${graphqlRequest(
  'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { name } privateKey } }',
  '{"input":{"title":"Back office","active":true}}',
)}
${graphqlRequest(
  'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken expireTime } }',
  `{"input":'"$KEY"'}`,
)}`;
}
