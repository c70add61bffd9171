import { clientMutationId, parseFields } from '../model/fields.ts';
import type { MutationResolvers } from './schema-types.ts';

const VALIDATORS = { clientMutationId };

/** The resolvers of `Mutation`: one call of the data layer each. */
export const mutations: MutationResolvers = {
  async createApp(_parent, { input }, { data, principal }) {
    const echo = echoOf(input);
    return { app: await data.createApp(principal, input), ...echo };
  },

  async signIn(_parent, { input }, { data, principal }) {
    const echo = echoOf(input);
    const { accessToken, expireTimeMs, app } = await data.signIn(principal, input);
    return { accessToken, expireTime: new Date(expireTimeMs), app, ...echo };
  },

  async updateWallet(_parent, { input }, { data, principal }) {
    const echo = echoOf(input);
    return { wallet: await data.updateWallet(principal, input), ...echo };
  },
};

/** The client's own text, to be checked before anything is changed. */
function echoOf(input: Readonly<Record<string, unknown>>): { clientMutationId: string | null } {
  return { clientMutationId: parseFields(input, VALIDATORS).clientMutationId ?? null };
}
