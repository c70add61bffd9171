import type { ExecutionResult } from 'graphql';
import { createClient, NetworkError } from 'graphql-http';
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

describe('the client of graphql-http', () => {
  keepsTheContract(connect, () => tenant);

  test('pages to the end of 25 projects', async () => {
    const pages = await pagesOf(connect(tenant.token), 10);
    expect(pages).toEqual([
      tenant.projects.slice(0, 10),
      tenant.projects.slice(10, 20),
      tenant.projects.slice(20),
    ]);
  });
});

function connect(token: string | undefined): Client {
  const client = createClient({ url: `${gateway.url}/graphql`, headers: bearer(token) });
  async function ask<Data>(query: string, variables = {}): Promise<Outcome<Data>> {
    const { data, errors = [] } = await new Promise<ExecutionResult<Data, unknown>>((resolve, reject) => {
      client.subscribe<Data>({ query, variables }, { next: resolve, error: reject, complete() {} });
    }).catch(refusalIn<Data>);
    return { data: data ?? undefined, errors };
  }
  return { query: ask, mutate: ask };
}

/** The client does not read a response whose status is not 2xx. Its error is in the body of the response. */
async function refusalIn<Data>(error: unknown): Promise<ExecutionResult<Data, unknown>> {
  if (!(error instanceof NetworkError) || !(error.response instanceof Response)) throw error;
  return JSON.parse(await error.response.text());
}
