import { expect, test } from 'vitest';
import { graphqlApi, mutationDocument, postGraphql } from '../support/both-apis.ts';
import { useGateway, useTenant } from '../support/gateway.ts';
import { accountToken, credentialParts, graphqlBody, MISSING_APP, tokenStatus } from '../support/requests.ts';

const gateway = useGateway();
const tenant = useTenant(gateway);

const api = graphqlApi(() => gateway.url);

// `ended-token.test.ts` shows that the token ends on every instance.
test.each([
  [
    'a sign-out',
    'signOut(input: { clientMutationId: "bye" }) { clientMutationId }',
    { clientMutationId: 'bye' },
  ],
  [
    'a revocation by itself',
    'signOut: revokeToken(input: { id: "$ID" }) { clientMutationId }',
    { clientMutationId: null },
  ],
])('%s ends the token for the later fields of the same request, too', async (_, field, ended) => {
  const token = await accountToken(gateway, tenant);
  const document = `mutation {
    before: signIn(input: { name: "${MISSING_APP}", privateKey: "x" }) { accessToken }
    ${field.replace('$ID', credentialParts(token).id)}
    again: signOut { clientMutationId }
    createApp(input: { title: "Late", active: true }) { app { name } }
  }`;
  const { data, errors } = await graphqlBody(gateway.url, token, document);
  expect(data).toEqual({ before: null, signOut: ended, again: null, createApp: null });
  const reasons = errors.map(({ extensions }: { extensions: { reason: string } }) => extensions.reason);
  expect(reasons).toEqual(['INVALID_CREDENTIALS', 'TOKEN_INVALID', 'TOKEN_INVALID']);
});

const SIGN_OUT = mutationDocument('signOut');

test('a sign-out that is repeated with its Idempotency-Key is refused, since the token has ended', async () => {
  const token = await accountToken(gateway, tenant);
  const send = () => postGraphql(gateway.url, token, SIGN_OUT, { input: {} }, { 'idempotency-key': 'bye' });
  expect((await send()).status).toBe(200);
  const { status, text } = await send();
  expect([status, JSON.parse(text).errors[0].extensions.reason]).toEqual([401, 'TOKEN_INVALID']);
});

test('a sign-out is undone if another mutation of the request with an Idempotency-Key fails', async () => {
  const token = await accountToken(gateway, tenant);
  const document = `mutation { signOut { clientMutationId } again: signOut { clientMutationId } }`;
  const { text } = await postGraphql(gateway.url, token, document, {}, { 'idempotency-key': 'both' });
  expect(JSON.parse(text)).toMatchObject({ data: null });
  expect(await tokenStatus(api, token)).toBe('ok');
});
