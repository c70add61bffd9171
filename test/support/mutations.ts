import type { MutationResolvers } from '../../src/graphql/generated/schema-types.ts';
import { mutationDocument } from './both-apis.ts';
import { NETWORK } from './gateway.ts';
import { type AppKey, tokenNameOf } from './requests.ts';

export type MutationName = keyof MutationResolvers;

/** What an input is made of. */
type Subject = {
  /** The resource or the token that the mutation is about. */
  readonly name: string;
  readonly title: string;
  /** The project of a new app or wallet, the only one of a new token, or the new one of a wallet. */
  readonly project?: string | undefined;
  readonly privateKey?: string;
  /** That of a new wallet. */
  readonly reference?: string | undefined;
  readonly active?: boolean;
};

/** How the name begins that the input has, if any; the selection, which has the name and the secrets; a valid input. */
type Mutation = readonly [
  target: '' | 'projects/' | 'apps/' | 'wallets/' | 'tokens/',
  selection: string,
  input: (subject: Subject) => object,
];

const CREATED_APP = 'app { id project { id } } privateKey';
const WALLET = 'wallet { id title project { id } }';

/** All mutations, for the tests that call each of them. */
export const MUTATIONS: Readonly<Record<MutationName, Mutation>> = {
  createProject: ['', 'project { id }', ({ title }) => ({ title })],
  updateProject: ['projects/', 'project { id }', ({ name, title }) => ({ name, title })],
  deleteProject: ['projects/', 'deletedProjectId', ({ name }) => ({ name })],
  createApp: ['', CREATED_APP, ({ title, project }) => ({ title, active: true, project })],
  updateApp: ['apps/', 'app { id }', ({ name, title, active }) => ({ name, title, active })],
  deleteApp: ['apps/', 'deletedAppId', ({ name }) => ({ name })],
  rotateAppKey: ['apps/', 'app { id } privateKey', ({ name }) => ({ name })],
  signIn: ['apps/', 'accessToken', ({ name, privateKey }) => ({ name, privateKey })],
  signOut: ['', 'clientMutationId', () => ({})],
  createToken: ['', 'token { id } accessToken', ({ title, project }) => ({ title, project })],
  revokeToken: ['tokens/', 'revokedTokenId', ({ name }) => ({ id: name })],
  createWallet: [
    '',
    WALLET,
    ({ title, project, reference }) => ({ title, project, network: NETWORK, reference }),
  ],
  updateWallet: ['wallets/', WALLET, ({ name, title, project }) => ({ name, title, project })],
  archiveWallet: ['wallets/', WALLET, ({ name }) => ({ name })],
  unarchiveWallet: ['wallets/', WALLET, ({ name }) => ({ name })],
};

export const MUTATION_NAMES = Object.keys(MUTATIONS) as readonly MutationName[];

/** Returns the document of a mutation, with its input as the variable `input`. */
export const documentOf = (name: MutationName) => mutationDocument(name, MUTATIONS[name][1]);

/** Returns the input of a mutation about one of these resources, or about the token. */
export function inputOf(
  mutation: MutationName,
  { app, project, wallet, token }: { app: AppKey } & Record<'project' | 'wallet' | 'token', string>,
): object {
  const [target, , input] = MUTATIONS[mutation];
  const name = [project, app.name, wallet, tokenNameOf(token)].find((each) => each.startsWith(target)) ?? '';
  return input({ ...app, name, title: 'New' });
}
