import { ClientError, GraphQLClient } from 'graphql-request';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { bearer, type Client, expectSilence, keepsTheContract, type Outcome, pagesOf } from './contract.ts';

let gateway: Gateway;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await startGateway();
  tenant = await seedTenant(gateway, { projects: 25, wallets: 1 });
  return gateway.stop;
});

expectSilence();

describe('graphql-request', () => {
  keepsTheContract(connect, () => tenant);

  test.each(['POST', 'GET'] as const)('pages to the end of 25 projects by %s', async (method) => {
    const pages = await pagesOf(connect(tenant.token, method), 10);
    expect(pages).toEqual([
      tenant.projects.slice(0, 10),
      tenant.projects.slice(10, 20),
      tenant.projects.slice(20),
    ]);
  });
});

function connect(token: string | undefined, method: 'POST' | 'GET' = 'POST'): Client {
  const client = new GraphQLClient(`${gateway.url}/graphql`, { headers: bearer(token), method });
  async function ask<Data>(document: string, variables = {}): Promise<Outcome<Data>> {
    try {
      return { data: await client.request<Data>(document, variables), errors: [] };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      return { data: undefined, errors: error.response.errors ?? [] };
    }
  }
  return { query: ask, mutate: ask };
}
