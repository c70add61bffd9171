import { describe, expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { deleteProject } from '../../src/data/delete-project.ts';
import type { Database } from '../../src/storage/database.ts';
import { reasonOf, ulidOf } from '../support/actors.ts';
import { type Api, bothApis } from '../support/apis.ts';
import { useGateway, useTenant } from '../support/gateway.ts';

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 10, wallets: 1 });

const WAITING = `SELECT COUNT(*) AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Waits until a statement waits for a lock. */
async function lockWait(): Promise<void> {
  await expect.poll(() => gateway.database.read(WAITING), { interval: 5 }).toEqual([{ count: 1 }]);
}

/** Starts `request` while the deletion of a project is not yet committed, and returns its result. */
async function duringDeletion<T>(project: string, request: () => Promise<T>): Promise<T> {
  const { result } = await gateway.database.transaction(async (transaction) => {
    await transaction.write('DELETE FROM project WHERE id = $1', [ulidOf(project)]);
    const pending = request();
    // It can fail before the commit has returned.
    pending.catch(() => {});
    await lockWait();
    return { result: () => pending };
  });
  return result();
}

describe.each(bothApis(() => gateway.url))('by $name', (api: Api) => {
  const projectAt = (index: number) => tenant.projects[api.name === 'REST' ? index : index + 3] ?? '';

  test('a wallet can not be moved to a project that is deleted meanwhile', async () => {
    const project = projectAt(1);
    const [wallet = ''] = tenant.wallets;
    const reason = await duringDeletion(project, () =>
      reasonOf(api.updateWallet(tenant.token, wallet, { project })),
    );
    expect(reason).toBe('INVALID_FIELD');
  });

  test('a project can not be deleted while a wallet is moved to it', async () => {
    const project = projectAt(2);
    const { result } = await gateway.database.transaction(async (transaction) => {
      await transaction.write('UPDATE wallet SET project_id = $1', [ulidOf(project)]);
      const pending = deleteProject(gateway.admin, { name: project });
      pending.catch(() => {});
      await lockWait();
      return { result: () => pending };
    });
    await expect(result()).rejects.toMatchObject({ reason: 'RESOURCE_UNUSABLE' });
  });
});

test('neither an app nor an account token can be created for a project that is deleted meanwhile', async () => {
  const [api] = bothApis(() => gateway.url);
  const [forApp = '', forToken = ''] = tenant.projects.slice(7);
  const app = { title: 'App', active: true, project: forApp };
  expect(await duringDeletion(forApp, () => reasonOf(api.createApp(tenant.token, app)))).toBe(
    'INVALID_FIELD',
  );
  const token = { account: tenant.account, project: forToken };
  const created = duringDeletion(forToken, () => createAccountToken(gateway.admin, token, 60));
  await expect(created).rejects.toMatchObject({ reason: 'RESOURCE_UNUSABLE' });
});

test('a project can not be deleted while an account token is created for it', async () => {
  const project = tenant.projects[9] ?? '';
  const { result } = await gateway.database.transaction(async (transaction) => {
    const database: Database = { ...gateway.database, transaction: (work) => work(transaction) };
    await createAccountToken({ ...gateway.admin, database }, { account: tenant.account, project }, 60);
    const pending = deleteProject(gateway.admin, { name: project });
    pending.catch(() => {});
    await lockWait();
    return { result: () => pending };
  });
  await expect(result()).rejects.toMatchObject({ reason: 'RESOURCE_UNUSABLE' });
});
