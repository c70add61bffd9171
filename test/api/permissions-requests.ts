import { type Outcome, postGraphql, restApi, send } from '../support/both-apis.ts';
import { MUTATIONS, type MutationName } from '../support/mutations.ts';
import { withoutRequestId } from '../support/requests.ts';
import { type Created, type Kind, type Operation, shown } from './permissions-oracle.ts';

// How the operations of the model are sent, and how their outcomes are read.

/** What a response says of an operation. */
export type Observed = {
  /** `ok` with what is shown, what shows nothing, or the reason of an error with the fields at fault. */
  readonly outcome: string;
  /** What has to be the same for everything that has this outcome. */
  readonly bytes: object;
  readonly created: Created;
  /** Whether the request was refused before its first operation. */
  readonly isRefused: boolean;
};

type Field = {
  /** The field with its selection. `$` stands for its variable. */
  readonly text: string;
  readonly type: string;
  variable(operation: Operation): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows from the selection
  read(value: any): string;
};

type List = { readonly nodes: readonly { readonly id: string }[] };

const id = ({ name }: Operation) => name;
const namesIn = (...lists: List[]) => shown(lists.flatMap(({ nodes }) => nodes.map((node) => node.id)));

const listOf = (name: string): Field => ({
  text: `${name}(first: $) { nodes { id } }`,
  type: 'Int!',
  variable: () => 100,
  read: (list) => namesIn(list),
});

/** All apps and wallets of the model have titles that begin with it, also after an update. */
export const TITLE = 'Wallet';

const listByTitle = (name: string, others = ''): Field => ({
  text: `${name}(first: 100, title: $${others}) { nodes { id } }`,
  type: 'String!',
  variable: () => TITLE,
  read: (list) => namesIn(list),
});

const QUERIES: Readonly<Record<Exclude<Kind, MutationName>, Field>> = {
  viewer: {
    text: 'viewer @include(if: $) { name account project { id } }',
    type: 'Boolean!',
    variable: () => true,
    read: ({ name, account, project }) => `ok ${name} ${account} ${project.id}`,
  },
  node: {
    text: 'node(id: $) { id }',
    type: 'ID!',
    variable: id,
    read: (node) => (node === null ? 'null' : `ok ${node.id}`),
  },
  projects: listOf('projects'),
  wallets: {
    text: 'wallets(first: 100, address: $) { nodes { id } }',
    type: 'Address!',
    variable: id,
    read: (list) => namesIn(list),
  },
  walletsByTitle: listByTitle('wallets'),
  walletsByReference: {
    text: 'wallets(first: 100, reference: $) { nodes { id } }',
    type: 'String!',
    variable: id,
    read: (list) => namesIn(list),
  },
  archivedWallets: listByTitle('wallets', ', archived: true'),
  apps: listByTitle('apps'),
  contents: {
    text: 'node(id: $) { ... on Project { apps(first: 100) { nodes { id } } wallets(first: 100) { nodes { id } } } }',
    type: 'ID!',
    variable: id,
    read: (node) => (node === null ? 'null' : namesIn(node.apps, node.wallets)),
  },
  tokens: listOf('tokens'),
  events: {
    text: 'events(first: 1, resource: $) { nodes { id } }',
    type: 'ResourceName!',
    variable: id,
    read: ({ nodes }) => (nodes.length > 0 ? 'ok' : 'none'),
  },
};

function fieldOf({ kind }: Operation): Field {
  if (!isMutation(kind)) return QUERIES[kind];
  const [, selection, input] = MUTATIONS[kind];
  return {
    text: `${kind}(input: $) { ${selection} }`,
    type: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Input!`,
    variable: (operation) => input({ ...operation, title: TITLE }),
    read: ({ wallet }) => (wallet ? `ok ${wallet.project.id}` : 'ok'),
  };
}

const isMutation = (kind: Kind): kind is MutationName => kind in MUTATIONS;

/** Sends operations as one document. */
export async function byGraphql(
  url: string,
  token: string | undefined,
  operations: readonly Operation[],
): Promise<readonly Observed[]> {
  const fields = operations.map((operation, n) => ({ ...fieldOf(operation), operation, alias: `f${n}` }));
  const root = operations.some(({ kind }) => isMutation(kind)) ? 'mutation' : 'query';
  const declared = fields.map(({ alias, type }) => `$${alias}: ${type}`);
  const texts = fields.map(({ alias, text }) => `${alias}: ${text.replace('$', `$${alias}`)}`);
  const variables = fields.map(({ alias, variable, operation }) => [alias, variable(operation)]);
  const document = `${root} (${declared.join(', ')}) { ${texts.join(' ')} }`;
  const response = await postGraphql(url, token, document, Object.fromEntries(variables));
  const { data, errors = [] } = JSON.parse(response.text);
  return fields.map(({ alias, read }) => {
    const error = errors.find(({ path = [alias] }) => path[0] === alias);
    const value = data?.[alias];
    const { path, locations: _, extensions: { requestId: __, ...extensions } = {}, ...rest } = error ?? {};
    return {
      outcome: error ? reasonOf(extensions) : read(value),
      // A document of one field has the same bytes, and one of several the same error in its place.
      bytes: fields.length === 1 ? withoutRequestId(response) : { ...rest, extensions },
      created: { ...value, name: (value?.app ?? value?.wallet ?? value?.project)?.id },
      isRefused: error !== undefined && path === undefined,
    };
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the extensions of an error
function reasonOf({ reason, fieldViolations = [] }: any): string {
  return [reason, ...fieldViolations.map(({ field }: { field: string }) => field)].join(' ');
}

/** The operations of REST. */
export const REST_KINDS = ['createApp', 'signIn', 'updateWallet', 'projects'] as const;

type RestOperation = Operation & { readonly kind: (typeof REST_KINDS)[number] };

type RestValue = Created & {
  readonly project?: string;
  readonly projects?: readonly { readonly name: string }[];
};

/** Sends an operation to the REST API. */
export async function byRest(
  url: string,
  token: string | undefined,
  { kind, name, project, privateKey }: RestOperation,
): Promise<Observed> {
  const api = restApi(() => url);
  const send: Readonly<Record<RestOperation['kind'], () => Promise<Outcome<RestValue>>>> = {
    createApp: () => api.createApp(token, { title: TITLE, active: true }),
    signIn: () => api.signIn(token, { name, privateKey }),
    updateWallet: () => api.updateWallet(token, name, { title: `${TITLE} 2`, project }),
    projects: () => api.listProjects(token, { first: 100 }),
  };
  const { value: created = {}, error, response } = await send[kind]();
  const { projects, project: projectOfWallet } = created;
  const list = projects && shown(projects.map((each) => each.name));
  const ok = list ?? ['ok', projectOfWallet ?? []].flat().join(' ');
  const outcome = error ? [error.reason, ...error.fields].join(' ') : ok;
  return { outcome, bytes: withoutRequestId(response), created, isRefused: false };
}

/** Sends a form to an endpoint of OAuth. */
export async function byOauth(url: string, path: string, form: Record<string, string>): Promise<Observed> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  const response = await send(`${url}/oauth/${path}`, 'POST', undefined, body, headers);
  const { error, active, client_id: app, project, access_token: accessToken } = JSON.parse(response.text);
  const ok = { token: 'ok', introspect: active ? `ok ${app} ${project}` : 'inactive' }[path] ?? 'ended';
  return {
    outcome: error ?? ok,
    bytes: withoutRequestId(response),
    created: { accessToken },
    isRefused: false,
  };
}
