import { deleteApp } from '../../data/apps/delete-app.ts';
import { rotateAppKey } from '../../data/apps/rotate-app-key.ts';
import { updateApp } from '../../data/apps/update-app.ts';
import { createApp } from '../../data/create-app.ts';
import { createProject } from '../../data/projects/create-project.ts';
import { updateProject } from '../../data/projects/update-project.ts';
import { signIn } from '../../data/sign-in.ts';
import { createToken } from '../../data/tokens/create-token.ts';
import { revokeToken } from '../../data/tokens/revoke-token.ts';
import { signOut } from '../../data/tokens/sign-out.ts';
import { updateWallet } from '../../data/update-wallet.ts';
import { createWallet } from '../../data/wallets/create-wallet.ts';
import { clientMutationId, parseFields, rejectUnknownFields } from '../../model/fields/fields.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { GraphqlContext } from '../context.ts';
import type { MutationResolvers } from '../generated/schema-types.ts';
import { isoTime } from './types.ts';

const VALIDATORS = { clientMutationId };

/** The operation of the data layer that each mutation calls. */
export const OPERATIONS = {
  createProject,
  updateProject,
  createApp,
  updateApp,
  deleteApp,
  rotateAppKey,
  signIn,
  signOut,
  createToken,
  revokeToken,
  createWallet,
  updateWallet,
} satisfies Record<keyof MutationResolvers, { readonly rules: ChangeRules<unknown> }>;

/** The resolvers of `Mutation`. */
export const mutations: MutationResolvers = {
  async createProject(_parent, { input }, context) {
    const mutationId = checkInput(context, input, createProject.rules);
    return { project: await createProject(context.call, input), ...mutationId };
  },

  async updateProject(_parent, { input }, context) {
    const mutationId = checkInput(context, input, updateProject.rules);
    return { project: await updateProject(context.call, input), ...mutationId };
  },

  async createApp(_parent, { input }, context) {
    const mutationId = checkInput(context, input, createApp.rules);
    const app = await createApp(context.call, input);
    return { app, privateKey: app.privateKey, ...mutationId };
  },

  async updateApp(_parent, { input }, context) {
    const mutationId = checkInput(context, input, updateApp.rules);
    return { app: await updateApp(context.call, input), ...mutationId };
  },

  async deleteApp(_parent, { input }, context) {
    const mutationId = checkInput(context, input, deleteApp.rules);
    const { id } = await deleteApp(context.call, input);
    return { deletedAppId: id, ...mutationId };
  },

  async rotateAppKey(_parent, { input }, context) {
    const mutationId = checkInput(context, input, rotateAppKey.rules);
    const app = await rotateAppKey(context.call, input);
    return { app, privateKey: app.privateKey, ...mutationId };
  },

  async signIn(_parent, { input }, context) {
    const mutationId = checkInput(context, input, signIn.rules);
    const { accessToken, expireTimeMs, app } = await signIn(context.call, input);
    return { accessToken, expireTime: isoTime(expireTimeMs), app, ...mutationId };
  },

  async signOut(_parent, { input }, context) {
    const mutationId = checkInput(context, input ?? {}, signOut.rules);
    await signOut(context.call);
    context.state.isSignedOut = true;
    return mutationId;
  },

  async createToken(_parent, { input }, context) {
    const mutationId = checkInput(context, input, createToken.rules);
    const { accessToken, ...token } = await createToken(context.call, input);
    return { token, accessToken, ...mutationId };
  },

  async revokeToken(_parent, { input }, context) {
    const mutationId = checkInput(context, input, revokeToken.rules);
    const { principal, state } = context;
    const id = await revokeToken(context.call, input);
    if (id === principal.tokenId || id === principal.makerTokenId) state.isSignedOut = true;
    return { revokedTokenId: resourceName('tokens', id), ...mutationId };
  },

  async createWallet(_parent, { input }, context) {
    const mutationId = checkInput(context, input, createWallet.rules);
    return { wallet: await createWallet(context.call, input), ...mutationId };
  },

  async updateWallet(_parent, { input }, context) {
    const mutationId = checkInput(context, input, updateWallet.rules);
    return { wallet: await updateWallet(context.call, input), ...mutationId };
  },
};

/** The rules of an operation that changes something. */
type ChangeRules<Validators> = { readonly changes: true; readonly input: Validators };

/** An input whose fields, beside `clientMutationId`, are those that the validators of its operation read. */
type FieldsOf<Input, Validators> = Record<Exclude<keyof Input, 'clientMutationId'>, unknown> &
  Record<Exclude<keyof Validators, keyof Input>, never>;

/**
 * Begins a mutation: validates `clientMutationId`, so that an invalid one changes nothing, and forgets what the mutation
 * may change.
 *
 * @param rules those of the operation. An input field without a validator does not compile, and is rejected.
 */
function checkInput<
  Input extends { readonly clientMutationId?: unknown },
  Validators extends FieldsOf<Input, Validators>,
>(
  context: GraphqlContext,
  input: Input,
  { input: validators }: ChangeRules<Validators>,
): { clientMutationId: string | null } {
  context.forget();
  rejectUnknownFields(Object.keys(input), [...Object.keys(validators), 'clientMutationId']);
  return {
    clientMutationId:
      parseFields({ clientMutationId: input.clientMutationId }, VALIDATORS).clientMutationId ?? null,
  };
}
