import { describe, expect, test } from 'vitest';
import { deleteProject } from '../../../src/data/projects/delete-project.ts';
import type { Database, Queryable } from '../../../src/storage/interface/database.ts';
import { type Api, bothApis } from '../../support/both-apis.ts';
import { useGateway, useTenant } from '../../support/gateway.ts';
import { createAccountToken, reasonOf, ulidOf } from '../../support/requests.ts';
import { deleteRow, setRow } from '../../support/rows.ts';
import { whileLocked } from '../../support/while-locked.ts';

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 10, wallets: 1 });

const deletionOf = (project: string) => (transaction: Queryable) => deleteRow(transaction, project);

const deletes = (project: string) => () => deleteProject(gateway.operator, { name: project });

describe.each(bothApis(() => gateway.url))('by $name', (api: Api) => {
  const projectAt = (index: number) => tenant.projects[api.name === 'REST' ? index : index + 3] ?? '';

  test('a wallet can not be moved to a project that is deleted meanwhile', async () => {
    const project = projectAt(1);
    const { wallet } = tenant;
    const move = () => reasonOf(api.updateWallet(tenant.token, wallet, { project }));
    expect(await whileLocked(gateway.database, deletionOf(project), move)).toBe('INVALID_FIELD');
  });

  test('a project can not be deleted while a wallet is moved to it', async () => {
    const project = projectAt(2);
    const { wallet } = tenant;
    const move = (transaction: Queryable) => setRow(transaction, wallet, { project_id: ulidOf(project) });
    await expect(whileLocked(gateway.database, move, deletes(project))).rejects.toMatchObject({
      reason: 'PROJECT_IN_USE',
    });
  });
});

test('neither an app nor an account token can be created for a project that is deleted meanwhile', async () => {
  const [api] = bothApis(() => gateway.url);
  const [forApp = '', forToken = ''] = tenant.projects.slice(7);
  const app = { title: 'App', active: true, project: forApp };
  const createApp = () => reasonOf(api.createApp(tenant.token, app));
  expect(await whileLocked(gateway.database, deletionOf(forApp), createApp)).toBe('INVALID_FIELD');
  const token = { account: tenant.account, project: forToken };
  const created = whileLocked(gateway.database, deletionOf(forToken), () =>
    createAccountToken(gateway.operator, token, 60),
  );
  await expect(created).rejects.toMatchObject({ reason: 'RESOURCE_UNUSABLE' });
});

test('a project can not be deleted while an account token is created for it', async () => {
  const project = tenant.projects[9] ?? '';
  const create = (transaction: Queryable) => {
    const database: Database = { ...gateway.database, transaction: (work) => work(transaction) };
    return createAccountToken({ ...gateway.operator, database }, { account: tenant.account, project }, 60);
  };
  await expect(whileLocked(gateway.database, create, deletes(project))).rejects.toMatchObject({
    reason: 'PROJECT_IN_USE',
  });
});
