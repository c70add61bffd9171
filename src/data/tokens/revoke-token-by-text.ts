import type { Client } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import { idOf } from '../../model/resource-name.ts';
import { Call } from '../call/call.ts';
import { principalFromRow } from '../conversions/token.ts';
import { type AppCredentials, findApp } from '../sign-in.ts';
import { findTokenByText } from './revoke-token.ts';
import { revokeTokenOfCaller } from './sign-out.ts';

/**
 * Revokes a bearer token, if it is valid. A key is compared only with the key of the app to which the token was issued,
 * so no one can test a key without an audit event. Source: RFC 7009.
 *
 * @param credentials of the app to which the token was issued; undefined if the client has only the token
 * @throws UNAUTHENTICATED if the credentials are wrong
 * @throws PERMISSION_DENIED if the token was not issued to the app
 */
export async function revokeTokenByText(
  call: Call<Client>,
  text: string,
  credentials: AppCredentials | undefined,
): Promise<void> {
  const client = call.caller;
  const dependencies = Call.open(call);
  const { database, clock, recordFailure } = dependencies;
  const timeMs = clock();
  const row = await findTokenByText(database, text);
  if (row === undefined || row.expire_time_ms <= timeMs) return client.count?.(undefined);
  const principal = principalFromRow(row);
  const { accountId, appId, tokenId } = principal;
  if (credentials !== undefined) {
    const { name } = credentials;
    if (appId !== idOf(name)) throw new ApiError('TOKEN_OF_ANOTHER_APP');
    const { key } = await findApp(database, { ...credentials, accountId }, timeMs);
    if (key === undefined) {
      client.count?.(undefined);
      const failure = { action: 'sign_in.fail', accountId, principal: undefined } as const;
      await recordFailure({ ...failure, client, resource: name });
      throw new ApiError('INVALID_CREDENTIALS', { app: name });
    }
  }
  client.count?.({ accountId, tokenId: appId ?? tokenId });
  await revokeTokenOfCaller(dependencies, { principal, client });
}
