type Texts = Readonly<Record<string, string>>;

/** A request that is shown: its path, its body and its headers. */
export type ShownRequest = readonly [string, string | URLSearchParams, Texts];

/** The REST operations by the name of the document, with the fields of their bodies. */
export const REST: Texts = {
  Projects: 'GET /project/projects?pageSize={first}',
  CreateApp: 'POST /auth/apps title? active?',
  UpdateWallet: 'PATCH /wallet/{name} title? description? project? network? password?',
};

/** The commands by the name of the document, and by `active` if it is sent, with the options that are fields. */
export const COMMANDS: Texts = {
  Projects: 'project list --account={account} --page-size={first}',
  CreateProject: 'project create --account={account} title? description?',
  UpdateProject: 'project update {name} title? description? reference?',
  DeleteProject: 'project delete {name}',
  Wallets: 'wallet list project? archived? --page-size={first}',
  UpdateWallet: 'wallet update {name} title? description? project? network? reference?',
  ArchiveWallet: 'wallet archive {name}',
  UnarchiveWallet: 'wallet unarchive {name}',
  'CreateApp true': 'app create project? title?',
  UpdateApp: 'app update {name} title?',
  'UpdateApp true': 'app activate {name}',
  'UpdateApp false': 'app deactivate {name}',
  RotateAppKey: 'app rotate-key {name} --grace={gracePeriod}s',
  DeleteApp: 'app delete {name}',
  Tokens: 'token list --account={account} --page-size={first}',
  RevokeToken: 'token revoke --id={id}',
  Events: 'audit list --account={account} action? resource? since? until? --page-size={first}',
};

type Values = Readonly<Record<string, unknown>>;

type Site = {
  readonly url: string;
  readonly command: string;
  readonly viewer:
    | { readonly account: string; readonly project: { readonly name: string } | null }
    | undefined;
};

/** Returns a request in each form in which it does the same. Its token and a password are variables of the shell. */
export function textsOf([path, body, headers]: ShownRequest, { url, command, viewer }: Site): Texts {
  const target = url + path.slice(1);
  if (typeof body !== 'string') return { curl: `curl ${quote(target)} --data-urlencode "token=$PAW_TOKEN"` };
  const hide = (field: string, value: unknown) => (field === 'password' ? '$PASSWORD' : value);
  const { query, variables } = JSON.parse(body, hide);
  const [, operation = ''] = /^\w+ (\w+)/.exec(query) ?? [];
  const { input, ...own } = variables;
  const { ifMatch, ...fields } = { ...own, ...input };
  const { active, ...options } = fields;
  const { project, ...others } = fields;
  // REST creates an app in the project of the token.
  const content = operation === 'CreateApp' && project === viewer?.project?.name ? others : fields;
  const [method, resource = ''] = filled(REST[operation], content, viewer?.account).split(' ');
  const paw = filled(COMMANDS[[operation, active].join(' ').trim()], options, viewer?.account);
  const key = headers['idempotency-key'] && `Idempotency-Key: ${headers['idempotency-key']}`;
  const conditions = [key, ifMatch && `If-Match: "${ifMatch}"`];
  return {
    GraphQL: query.replace(/^ +(?=fragment )/gm, '\n'),
    Variables: JSON.stringify(variables, null, 2),
    curl: curl('POST', target, [key], { query: query.replace(/\s+/g, ' '), variables }),
    ...(method && { REST: curl(method, url + resource, conditions, { ...content, name: undefined }) }),
    ...(paw && { paw: `${command} ${paw}` }),
  };
}

/** Returns an entry of the tables with its values, or nothing if it does not take all fields. */
function filled(entry = '', fields: Values, account?: string): string {
  const takes = (field: string) => entry.includes(` ${field}?`) || entry.includes(`{${field}}`);
  if (!Object.keys(fields).every(takes)) return '';
  const values: Values = { account, ...fields };
  return entry.replace(/\{(\w+)\}| (\w+)\?/g, (_, name, option) => {
    const value = values[name ?? option];
    if (name) return `${value}`;
    return value === undefined ? '' : ` --${option}${value === true ? '' : `=${quote(`${value ?? ''}`)}`}`;
  });
}

function curl(method: string, url: string, headers: readonly (string | undefined)[], body: object): string {
  // A shell replaces nothing in single quotes. No other text of JSON looks like this.
  const data = quote(JSON.stringify(body)).replace(/(?<="password":")\$PASSWORD(?=")/, `'"$&"'`);
  const sent = method === 'GET' ? [] : ["-H 'Content-Type: application/json'", `-d ${data}`];
  const others = headers.flatMap((header) => (header ? `-H ${quote(header)}` : []));
  const lines = [
    `curl -X ${method} ${quote(url)}`,
    '-H "Authorization: Bearer $PAW_TOKEN"',
    ...others,
    ...sent,
  ];
  return lines.join(' \\\n  ');
}

/** Quotes a word for a POSIX shell, if it needs that. */
export function quote(word: string): string {
  return /^[\w/.:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
