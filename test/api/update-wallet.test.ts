import { describe, expect, test } from 'vitest';
import type { updateWallet } from '../../src/data/update-wallet.ts';
import { titleKey } from '../../src/model/title-key.ts';
import { bothApis } from '../support/both-apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { inLowerCase, mutate, PASSWORD, ulidOf } from '../support/requests.ts';
import { rowOf as rowIn } from '../support/rows.ts';

const PASSWORD_HASH = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

// Which token sees which wallet and project is tested with the other operations, in `permissions.test.ts`.

const gateway = useGateway();

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  const hashed = { password_hash: expect.stringMatching(PASSWORD_HASH) };

  test.each<[what: string, input: Input, stored?: object]>([
    ['nothing', {}],
    ['the title', { title: 'Renamed' }],
    ['the title to 200 emoji', { title: '🦊'.repeat(200) }],
    ['the description', { description: ' Described\n\tanew ' }],
    ['the description to 2,000 emoji', { description: '🦊'.repeat(2000) }],
    ['an empty description', { description: '' }],
    ['the network', { network: 'NETWORK_POLYGON' }],
    ['the project', { project: 1 }],
    ['the password', { password: PASSWORD }, hashed],
    [
      'everything',
      {
        title: 'All',
        description: '',
        network: 'NETWORK_POLYGON',
        project: 1,
        password: PASSWORD,
      } satisfies Required<Omit<Input, 'ifMatch' | 'reference'>>,
      hashed,
    ],
  ])('an update of %s changes only that', async (what, { project: index, ...texts }, hash) => {
    const { token, projects, wallet } = await seed({ projects: 2 });
    const project = projects[index ?? 0] ?? '';
    const before = await rowOf(wallet);
    gateway.clock.advance(1000);
    // The ULIDs may be in lower case, and are returned in upper case.
    const moved = index && { project: inLowerCase(project) };
    const { value } = await api.updateWallet(token, inLowerCase(wallet), { ...texts, ...moved });
    const { password: _password, ...stored } = texts;
    expect(value).toMatchObject({
      name: wallet,
      title: 'Wallet 1',
      description: 'No. 1',
      network: 'NETWORK_ETHEREUM',
      address: '0x0000000000000000000000000000000000000001',
      ...stored,
      project,
      password: '',
    });
    const update = what !== 'nothing' && {
      project_id: ulidOf(project),
      title_key: titleKey(texts.title ?? 'Wallet 1'),
      update_time_ms: gateway.clock(),
      revision: expect.not.stringMatching(String(before['revision'])),
    };
    expect(await rowOf(wallet)).toEqual({ ...before, ...stored, ...update, ...hash });
  });

  test('the misspelt network is stored and returned in its correct spelling', async () => {
    const { token, wallet } = await seed();
    const network = 'NETWORK_ETHEREUM_RINKEBY';
    const update = { network: 'NETWORK_ETHEREUM_RINKERBY' };
    expect((await api.updateWallet(token, wallet, update)).value?.network).toBe(network);
    expect((await rowOf(wallet))['network']).toBe(network);
  });

  test('concurrent updates of different fields are all applied', async () => {
    const { token, wallets } = await seed({ wallets: 10 });
    const texts = { title: 'Renamed', description: 'Described anew', network: 'NETWORK_POLYGON' };
    // The password comes first: its update takes longest, and must not restore older values.
    const changes = Object.entries({ password: PASSWORD, ...texts });
    const answers = await Promise.all(
      wallets.flatMap((wallet) =>
        changes.map(([field, sent]) => api.updateWallet(token, wallet, { [field]: sent })),
      ),
    );
    expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
    for (const wallet of wallets) {
      expect(await rowOf(wallet)).toMatchObject({
        ...texts,
        password_hash: expect.stringMatching(PASSWORD_HASH),
      });
    }
  });
});

test('GraphQL also returns createTime, which never changes, and updateTime, which an update sets', async () => {
  const selection = 'wallet { id createTime updateTime project { id } } clientMutationId';
  const { token, projects, wallet } = await seed();
  const now = () => new Date(gateway.clock()).toISOString();
  const createTime = now();
  for (const [changes, isChange] of [
    [{}, false],
    [{ title: 'Renamed', clientMutationId: 'mine' }, true],
    [{ password: PASSWORD }, true],
  ] as const) {
    gateway.clock.advance(1234);
    const input = { name: wallet, ...changes };
    const { data } = await mutate(gateway.url, token, 'updateWallet', input, selection);
    const updateTime = isChange ? now() : createTime;
    expect(data.updateWallet).toStrictEqual({
      wallet: { id: wallet, createTime, updateTime, project: { id: projects[0] } },
      clientMutationId: 'clientMutationId' in changes ? changes.clientMutationId : null,
    });
  }
});

/** The texts of an update, and the index of the project. */
type Input = {
  readonly [F in Exclude<keyof typeof updateWallet.rules.input, 'name' | 'project'>]?: string;
} & {
  readonly project?: number;
};

const seed = ({ projects = 1, wallets = 1 } = {}) => seedTenant(gateway, { projects, wallets });

const rowOf = (wallet: string) => rowIn(gateway.database, wallet);
