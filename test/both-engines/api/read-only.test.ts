import { readFileSync } from 'node:fs';
import { isNonNullType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readContract } from '../../../schema/contract.ts';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import { createApp, graphqlBody, ULID } from '../../support/actors.ts';
import { bothApis, type HttpResponse, postGraphql, restApi, send } from '../../support/apis.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { type OpenApiDocument, operationsOf } from '../../support/openapi-document.ts';

const contract = new URL('../../../schema/openapi.yaml', import.meta.url);
const openApi: OpenApiDocument = parse(readFileSync(contract, 'utf8'));

/** All mutations of the contract, each with its required arguments as variables. */
const MUTATIONS = Object.values(readContract().getMutationType()?.getFields() ?? {}).map(({ name, args }) => {
  const required = args.filter(({ type }) => isNonNullType(type));
  const variables = required.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const passed = required.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const list = (text: string) => text && `(${text})`;
  return { name, document: `mutation ${list(variables)} { ${name}${list(passed)} { __typename } }` };
});

/** All operations of the REST contract that are not reads. */
const CHANGES = operationsOf(openApi)
  .filter(({ method }) => method !== 'GET')
  .map(({ method, path }) => ({ method, path: path.replace(/\{\w+\}/, `wallets/${ULID}`) }));

const gateway = useGateway();
let tenant: Tenant;
let tokens: Readonly<Record<'account' | 'project', string>>;

beforeAll(async () => {
  tenant = await seedTenant(gateway, { projects: 2 });
  const api = restApi(() => gateway.url);
  const { name, privateKey } = await createApp(api, tenant.token);
  const grant = {
    grant_type: 'client_credentials',
    scope: 'read',
    client_id: name,
    client_secret: privateKey,
  };
  const body = new URLSearchParams(grant);
  const response = await fetch(`${gateway.url}/oauth/token`, { method: 'POST', body });
  const { access_token: project } = (await response.json()) as { access_token: string };
  const { accessToken: account } = await createAccountToken(
    gateway.admin,
    { ...tenant, readOnly: true },
    3600,
  );
  tokens = { account, project };
});

test('the contracts have mutations and operations that change something', () => {
  expect(MUTATIONS.length).toBeGreaterThan(5);
  expect(CHANGES).toHaveLength(3);
});

describe.each(['account', 'project'] as const)('a read-only token of level %s', (level) => {
  test.each(MUTATIONS)('is refused before the mutation $name', async ({ document }) => {
    const response = await postGraphql(gateway.url, tokens[level], document);
    expectRefusal(response);
    expect(JSON.parse(response.text).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN', status: 'PERMISSION_DENIED', reason: 'READ_ONLY_TOKEN' } },
    ]);
  });

  test.each(CHANGES)('is refused before $method $path', async ({ method, path }) => {
    const response = await send(gateway.url + path, method, tokens[level], {});
    expectRefusal(response);
    const { error } = JSON.parse(response.text);
    expect(error).toMatchObject({ status: 'PERMISSION_DENIED', details: [{ reason: 'READ_ONLY_TOKEN' }] });
  });

  test('lists projects, and names itself as read-only', async () => {
    for (const api of bothApis(() => gateway.url)) {
      const { value } = await api.listProjects(tokens[level]);
      expect(value?.projects).toHaveLength(level === 'account' ? 2 : 1);
    }
    const { data } = await graphqlBody(gateway.url, tokens[level], '{ viewer { readOnly } }');
    expect(data.viewer).toEqual({ readOnly: true });
  });
});

function expectRefusal({ status, headers }: HttpResponse): void {
  const challenge = 'Bearer realm="paw", error="insufficient_scope", scope="read write"';
  expect([status, headers.get('www-authenticate')]).toEqual([403, challenge]);
}
