import { deleteApp } from '../../data/apps/delete-app.ts';
import { rotateAppKey } from '../../data/apps/rotate-app-key.ts';
import { updateApp } from '../../data/apps/update-app.ts';
import { createApp } from '../../data/create-app.ts';
import type { Call } from '../../data/data-layer.ts';
import { createProject } from '../../data/projects/create-project.ts';
import { deleteProject } from '../../data/projects/delete-project.ts';
import { updateProject } from '../../data/projects/update-project.ts';
import { signIn } from '../../data/sign-in.ts';
import { createToken } from '../../data/tokens/create-token.ts';
import { revokeToken } from '../../data/tokens/revoke-token.ts';
import { signOut } from '../../data/tokens/sign-out.ts';
import { updateWallet } from '../../data/update-wallet.ts';
import { archiveWallet, unarchiveWallet } from '../../data/wallets/archive-wallet.ts';
import { createWallet } from '../../data/wallets/create-wallet.ts';
import { clientMutationId, parseFields, rejectUnknownFields } from '../../model/fields/fields.ts';
import type { JsonObject } from '../../model/fields/json.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { GraphqlContext } from '../context.ts';
import type { MutationResolvers } from '../generated/schema-types.ts';
import { isoTime } from './types.ts';

const VALIDATORS = { clientMutationId };

/** The resolvers of `Mutation`. Each has the rules of the operation of the data layer that it calls. */
export const mutations = {
  createProject: mutation(createProject, (created) => created),

  updateProject: mutation(updateProject, (project) => ({ project })),

  deleteProject: mutation(deleteProject, ({ id }) => ({ deletedProjectId: id })),

  createApp: mutation(createApp, (app) => ({ app, privateKey: app.privateKey })),

  updateApp: mutation(updateApp, (app) => ({ app })),

  deleteApp: mutation(deleteApp, ({ id }) => ({ deletedAppId: id })),

  rotateAppKey: mutation(rotateAppKey, (app) => ({ app, privateKey: app.privateKey })),

  signIn: mutation(signIn, ({ accessToken, expireTimeMs, app }) => ({
    accessToken,
    expireTime: isoTime(expireTimeMs),
    app,
  })),

  signOut: mutation(signOut, (_result, { state }) => {
    state.isSignedOut = true;
    return {};
  }),

  createToken: mutation(createToken, ({ accessToken, ...token }) => ({ token, accessToken })),

  revokeToken: mutation(revokeToken, (id, { principal, state }) => {
    if (id === principal.tokenId || id === principal.makerTokenId) state.isSignedOut = true;
    return { revokedTokenId: resourceName('tokens', id) };
  }),

  createWallet: mutation(createWallet, (created) => created),

  updateWallet: mutation(updateWallet, (wallet) => ({ wallet })),

  archiveWallet: mutation(archiveWallet, (wallet) => ({ wallet })),

  unarchiveWallet: mutation(unarchiveWallet, (wallet) => ({ wallet })),
} satisfies MutationResolvers;

/** An operation that changes something. */
type Change<Validators, Result> = {
  readonly rules: { readonly changes: true; readonly input: Validators };
  (call: Call, input: JsonObject): Promise<Result>;
};

/** An input whose fields, except `clientMutationId`, are the fields that the validators of its operation read. */
type FieldsOf<Input, Validators> = Record<Exclude<keyof Input, 'clientMutationId'>, unknown> &
  Record<Exclude<keyof Validators, keyof Input>, never>;

type MutationInput = JsonObject & { readonly clientMutationId?: unknown };

/**
 * Returns the resolver of a mutation. It validates `clientMutationId` first, so an invalid one changes nothing. An input
 * field without a validator does not compile, and is rejected.
 *
 * @param payloadOf returns the payload from the result of the operation
 */
function mutation<
  Input extends MutationInput | null | undefined,
  Validators extends FieldsOf<NonNullable<Input>, Validators>,
  Result,
  Payload,
>(operation: Change<Validators, Result>, payloadOf: (result: Result, context: GraphqlContext) => Payload) {
  const { rules } = operation;
  const names = [...Object.keys(rules.input), 'clientMutationId'];
  const resolve = async (
    _parent: unknown,
    args: { readonly input?: Input },
    context: GraphqlContext,
  ): Promise<Payload & { clientMutationId: string | null }> => {
    const input = args.input ?? {};
    // The mutation can change data that was read.
    context.forget();
    rejectUnknownFields(Object.keys(input), names);
    const { clientMutationId = null } = parseFields(input, VALIDATORS);
    const payload = payloadOf(await operation(context.call, input), context);
    return { ...payload, clientMutationId };
  };
  return Object.assign(resolve, { rules });
}
