import { expect, test } from 'vitest';
import { checkDatabase } from '../../../src/operator/check-database.ts';
import { deleteAccount } from '../../../src/operator/delete-account.ts';
import { exportAccount } from '../../../src/operator/export-account.ts';
import { importAccount } from '../../../src/operator/import-account.ts';
import { restoreAccount } from '../../../src/operator/restore-account.ts';
import { copyDatabase } from '../../../src/storage/jobs/copy.ts';
import type { OnProgress } from '../../../src/storage/work/progress.ts';
import { restApi } from '../../support/both-apis.ts';
import { type Gateway, seedTenant, type Tenant, testGateway, useGateway } from '../../support/gateway.ts';
import { createApp, signIn } from '../../support/requests.ts';

const gateway = useGateway();
const api = restApi(() => gateway.url);

/** A long work, which says how far it is. */
type Work = (onProgress: OnProgress, tenant: Tenant, empty: Gateway) => Promise<unknown>;

const WORKS: Readonly<Record<string, Work>> = {
  'the check of a database': (onProgress) => checkDatabase(gateway, onProgress),
  'the copy of a database': (onProgress, _tenant, { database }) =>
    copyDatabase(gateway.database, database, onProgress),
  'the export of an account': (onProgress, { account }) =>
    Array.fromAsync(exportAccount(gateway.operator, { name: account }, onProgress)),
  'the import into an account': (onProgress, { account }) =>
    importAccount(gateway.operator, { account }, lines(1600), onProgress),
  'the restoration of an account': (onProgress, { account }, empty) =>
    restoreAccount(empty, gateway.database, { account }, { withAddresses: false, onProgress }),
  'the deletion of an account': (onProgress, { account }) =>
    deleteAccount(gateway.operator, { name: account }, false, onProgress),
};

test.each(Object.entries(WORKS))(
  '%s begins at nothing, goes on, and ends at the whole',
  async (_name, work) => {
    const tenant = await seedTenant(gateway, { projects: 3, wallets: 120, addresses: 2 });
    await signIn(api, tenant.token, await createApp(api, tenant.token));
    const empty = await testGateway();
    const calls: [number, number][] = [];
    await work((...call) => void calls.push(call), tenant, empty);
    const [parts, wholes] = [calls.map(([part]) => part), calls.map(([, whole]) => whole)];
    expect(parts[0]).toBe(0);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts).toEqual(parts.toSorted((one, other) => one - other));
    expect(new Set(wholes)).toEqual(new Set([parts.at(-1)]));
  },
);

async function* lines(count: number): AsyncGenerator<string> {
  for (let n = 0; n < count; n += 1) yield `{"type":"project","title":"Project ${n}"}`;
}
