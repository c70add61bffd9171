import { CHANGES } from '../data/data-layer.ts';
import { clientMutationId, parseFields, rejectUnknownFields } from '../model/fields/fields.ts';
import { resourceName } from '../model/resource-name.ts';
import type { Context } from './context.ts';
import type { MutationResolvers } from './generated/schema-types.ts';
import { isoTime } from './types.ts';

const VALIDATORS = { clientMutationId };

/** The resolvers of `Mutation`. Each one calls one operation of the data layer. */
export const mutations: MutationResolvers = {
  async createProject(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.createProject.rules.input);
    return { project: await context.operations.createProject(input), ...mutationId };
  },

  async updateProject(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.updateProject.rules.input);
    return { project: await context.operations.updateProject(input), ...mutationId };
  },

  async createApp(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.createApp.rules.input);
    const app = await context.operations.createApp(input);
    return { app, privateKey: app.privateKey, ...mutationId };
  },

  async updateApp(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.updateApp.rules.input);
    return { app: await context.operations.updateApp(input), ...mutationId };
  },

  async deleteApp(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.deleteApp.rules.input);
    const { id } = await context.operations.deleteApp(input);
    return { deletedAppId: id, ...mutationId };
  },

  async rotateAppKey(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.rotateAppKey.rules.input);
    const app = await context.operations.rotateAppKey(input);
    return { app, privateKey: app.privateKey, ...mutationId };
  },

  async signIn(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.signIn.rules.input);
    const { accessToken, expireTimeMs, app } = await context.operations.signIn(input);
    return { accessToken, expireTime: isoTime(expireTimeMs), app, ...mutationId };
  },

  async signOut(_parent, { input }, context) {
    const mutationId = begin(context, input ?? {}, {});
    await context.operations.signOut();
    context.state.isSignedOut = true;
    return mutationId;
  },

  async createToken(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.createToken.rules.input);
    const { accessToken, ...token } = await context.operations.createToken(input);
    return { token, accessToken, ...mutationId };
  },

  async revokeToken(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.revokeToken.rules.input);
    const { principal, state } = context;
    const id = await context.operations.revokeToken(input);
    if (id === principal.tokenId || id === principal.makerTokenId) state.isSignedOut = true;
    return { revokedTokenId: resourceName('tokens', id), ...mutationId };
  },

  async createWallet(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.createWallet.rules.input);
    return { wallet: await context.operations.createWallet(input), ...mutationId };
  },

  async updateWallet(_parent, { input }, context) {
    const mutationId = begin(context, input, CHANGES.updateWallet.rules.input);
    return { wallet: await context.operations.updateWallet(input), ...mutationId };
  },
};

/** An input whose fields, beside `clientMutationId`, are those that the validators of its operation read. */
type FieldsOf<Input, Validators> = Record<Exclude<keyof Input, 'clientMutationId'>, unknown> &
  Record<Exclude<keyof Validators, keyof Input>, never>;

/**
 * Begins a mutation: validates `clientMutationId`, so that an invalid one changes nothing, and forgets what the mutation
 * may change.
 *
 * @param validators those of the operation. An input field without a validator does not compile, and is rejected.
 */
function begin<
  Input extends { readonly clientMutationId?: unknown },
  Validators extends FieldsOf<Input, Validators>,
>(context: Context, input: Input, validators: Validators): { clientMutationId: string | null } {
  context.forget();
  rejectUnknownFields(Object.keys(input), [...Object.keys(validators), 'clientMutationId']);
  return {
    clientMutationId:
      parseFields({ clientMutationId: input.clientMutationId }, VALIDATORS).clientMutationId ?? null,
  };
}
