import { PAW_COMMAND, readConfig, SERVE_COMMAND } from '../config.ts';
import { createToken } from '../data/tokens/create-token.ts';
import { graphqlRequest, restRequest, shellVariables } from '../model/fields/example-requests.ts';
import { DEFAULT_TOKEN_DAYS } from '../model/token.ts';
import { createAccount } from '../operator/create-account.ts';
import { hasAssets } from '../pages/assets.ts';
import { changeCommand } from './cli/change-command.ts';
import { TEXT_OPTIONS } from './cli/command.ts';

export const init = changeCommand({
  synopsis: 'init',
  summary: 'Creates an account with a project and a token, and prints requests to try.',
  options: { title: TEXT_OPTIONS.title },
  isSecret: true,
  async run(operator, input) {
    const { name: account, defaultProject } = await createAccount(operator, input);
    const { accessToken, expireTimeMs } = await createToken(operator, {
      account,
      title: 'paw init',
    });
    const expireTime = new Date(expireTimeMs).toISOString();
    const url = operator.publicUrl();
    const consoleUrl = (readConfig().console ?? hasAssets()) ? `${url}/console` : '';
    return { account, defaultProject, accessToken, expireTime, url, consoleUrl };
  },
  text: ({ account, defaultProject, accessToken, expireTime, url, consoleUrl }) =>
    `Created ${account} with ${defaultProject}.

Start the server:

${SERVE_COMMAND}
${consoleUrl && `\nOpen the console in a browser:\n\n${consoleUrl}#token=${accessToken}\n`}
Paste these into another terminal. They list the projects, with REST and with GraphQL, create an app, and register a wallet and
update it. The token is shown only now. It expires in ${DEFAULT_TOKEN_DAYS} days, at ${expireTime}.

${shellVariables(url, accessToken)}
PROJECT=${defaultProject}

${restRequest('/project/projects')}
${graphqlRequest('{ projects { nodes { name title } } }')}

${restRequest('/auth/apps', `-d '{"title":"Till","active":true}'`)}

WALLET=$(${PAW_COMMAND} wallet create --project $PROJECT --title Treasury \\
  --network NETWORK_POLYGON --address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed | grep -o 'wallets/[0-9A-Z]*')
${restRequest('/wallet/$WALLET', `-X PATCH -d '{"title":"Savings"}'`)}`,
});
