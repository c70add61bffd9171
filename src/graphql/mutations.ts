import { clientMutationId, parseFields } from '../model/fields.ts';
import type { Context } from './context.ts';
import type { MutationResolvers } from './schema-types.ts';
import { isoTime } from './types.ts';

const VALIDATORS = { clientMutationId };

/** The resolvers of `Mutation`. Each one calls one operation of the data layer. */
export const mutations: MutationResolvers = {
  async createApp(_parent, { input }, context) {
    const mutationId = begin(context, input);
    const { data, principal, client } = context;
    return { app: await data.createApp(principal, input, client), ...mutationId };
  },

  async updateApp(_parent, { input }, context) {
    const mutationId = begin(context, input);
    const { data, principal, client } = context;
    return { app: await data.updateApp(principal, input, client), ...mutationId };
  },

  async rotateAppKey(_parent, { input }, context) {
    const mutationId = begin(context, input);
    const { data, principal, client } = context;
    return { app: await data.rotateAppKey(principal, input, client), ...mutationId };
  },

  async signIn(_parent, { input }, context) {
    const mutationId = begin(context, input);
    const { data, principal, client } = context;
    const { accessToken, expireTimeMs, app } = await data.signIn(principal, input, client);
    return { accessToken, expireTime: isoTime(expireTimeMs), app, ...mutationId };
  },

  async signOut(_parent, { input }, context) {
    const mutationId = begin(context, input ?? {});
    const { data, principal, client, state } = context;
    await data.signOut(principal, client);
    state.isSignedOut = true;
    return mutationId;
  },

  async updateWallet(_parent, { input }, context) {
    const mutationId = begin(context, input);
    const { data, principal, client } = context;
    return { wallet: await data.updateWallet(principal, input, client), ...mutationId };
  },
};

/**
 * Begins a mutation: validates `clientMutationId`, so that an invalid one changes nothing, and forgets what the mutation
 * may change.
 */
function begin(
  context: Context,
  input: Readonly<Record<string, unknown>>,
): { clientMutationId: string | null } {
  context.forgetLists();
  return { clientMutationId: parseFields(input, VALIDATORS).clientMutationId ?? null };
}
