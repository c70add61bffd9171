import { clientMutationId, parseFields } from '../model/fields.ts';
import type { MutationResolvers } from './schema-types.ts';

const VALIDATORS = { clientMutationId };

/** The resolvers of `Mutation`. Each one calls one operation of the data layer. */
export const mutations: MutationResolvers = {
  async createApp(_parent, { input }, { data, principal }) {
    const mutationId = parseClientMutationId(input);
    return { app: await data.createApp(principal, input), ...mutationId };
  },

  async updateApp(_parent, { input }, { data, principal }) {
    const mutationId = parseClientMutationId(input);
    return { app: await data.updateApp(principal, input), ...mutationId };
  },

  async rotateAppKey(_parent, { input }, { data, principal }) {
    const mutationId = parseClientMutationId(input);
    return { app: await data.rotateAppKey(principal, input), ...mutationId };
  },

  async signIn(_parent, { input }, { data, principal, client }) {
    const mutationId = parseClientMutationId(input);
    const { accessToken, expireTimeMs, app } = await data.signIn(principal, input, client);
    return { accessToken, expireTime: new Date(expireTimeMs), app, ...mutationId };
  },

  async signOut(_parent, { input }, { data, principal, state }) {
    const mutationId = parseClientMutationId(input ?? {});
    await data.signOut(principal);
    state.isSignedOut = true;
    return mutationId;
  },

  async updateWallet(_parent, { input }, { data, principal, client }) {
    const mutationId = parseClientMutationId(input);
    return { wallet: await data.updateWallet(principal, input, client), ...mutationId };
  },
};

/** Validates `clientMutationId`. Must be called before the operation, so that an invalid one changes nothing. */
function parseClientMutationId(input: Readonly<Record<string, unknown>>): {
  clientMutationId: string | null;
} {
  return { clientMutationId: parseFields(input, VALIDATORS).clientMutationId ?? null };
}
