import { hash } from 'node:crypto';
import { asOperator } from '../data/call/call.ts';
import type { OperatorContext } from '../data/call/dependencies.ts';
import { projectFromRow } from '../data/conversions/project.ts';
import { walletFromRow } from '../data/conversions/wallet.ts';
import { createProject } from '../data/projects/create-project.ts';
import { ConfigError } from '../model/errors.ts';
import { MAX_PAGE_SIZE } from '../model/lists/list-page.ts';
import { NETWORKS, type Network } from '../model/network.ts';
import type { Project } from '../model/project.ts';
import { type ResourceName, resourceName, type Ulid } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import type { Queryable } from '../storage/interface/database.ts';
import { findAccount, findFirstAccount } from '../storage/tables/accounts.ts';
import { PROJECT_LIST } from '../storage/tables/projects.ts';
import { WALLET_LIST } from '../storage/tables/wallets.ts';
import { createAccount } from './create-account.ts';
import { registerWallet } from './register-wallet.ts';
import { addAddresses } from './supply-addresses.ts';

export type Samples = {
  readonly account: ResourceName<'accounts'>;
  readonly projects: readonly Project[];
  readonly wallets: readonly Wallet[];
};

const FIRST_PAGE = { direction: 'forward', size: MAX_PAGE_SIZE, position: undefined } as const;

const ACCOUNT = 'Atlas Studio';

// By its id, a later start finds the account of the samples.
const ACCOUNT_ID = '01M7XVFAC8V2Q4E6T0N5R3HWKD' as Ulid;

const SAMPLE_PROJECTS = [
  ['Harbour', 'Custody for a small fleet of fishing boats.'],
  ['Meridian', 'Settlement between two time zones.'],
  ['Copperleaf', 'Vouchers for a chain of plant nurseries.'],
  ['Nightjar', 'Payments for a late-night radio station.'],
  ['Quarry', 'Escrow for stone, by the tonne.'],
  ['Saltmarsh', 'Grants for a coastal reserve.'],
  ['Tinderbox', 'Prepaid wallets for a music festival.'],
  ['Vellum', 'Royalties for a hundred bookbinders.'],
  ['Windrose', 'Fuel cards for glider clubs.'],
  ['Yarrow', 'Dues of a herbalists’ guild.'],
  ['Bellwether', 'Treasury of a wool cooperative.'],
  ['Cinder', 'Deposits for returnable gas bottles.'],
  ['Driftwood', 'Donations to beach clean-ups.'],
  ['Ember', 'Tips for street cooks.'],
  ['Fathom', 'Day rates of commercial divers.'],
  ['Glasswing', 'Tickets to a butterfly house.'],
  ['Hawthorn', 'Rents along a city hedge.'],
  ['Ironbark', 'Carbon credits of a eucalyptus farm.'],
  ['Juniper', 'Tabs of a distillery’s bar.'],
  ['Kestrel', 'Bounties for a security team.'],
  ['Lantern', 'Micro-loans for night markets.'],
  ['Mosaic', 'Shares in a co-owned studio.'],
  ['Nimbus', 'Pay-as-you-go weather data.'],
  ['Orchard', 'Harvest advances for cider makers.'],
] as const;

// Source of the addresses: the examples of EIP-55. The first wallet is that of the example in the REST contract, so that
// a client that has imported the contract updates it with the request as it is.
const SAMPLE_WALLETS = [
  [
    'Operations',
    'NETWORK_ETHEREUM',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '01M7XVFACX7TDDST8TMXWW608M',
  ],
  ['Payouts', 'NETWORK_POLYGON', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', undefined],
] as const;

/** @throws ConfigError if the database has accounts, but not that of the samples, or if that one is not active */
export async function assertOfSamples(database: Pick<Queryable, 'read'>): Promise<void> {
  const account = await findAccount(database, ACCOUNT_ID);
  if (account?.state === 'ACTIVE') return;
  if (account !== undefined) {
    throw new ConfigError(
      `The account of the demo, ${resourceName('accounts', ACCOUNT_ID)}, has the state ${account.state}, so that no token is valid. Use "paw account resume", or "paw account delete" to start again, on the database of the demo (DATABASE_URL=sqlite:data/demo.db by default).`,
    );
  }
  if ((await findFirstAccount(database)) === undefined) return;
  throw new ConfigError(
    'The database has other accounts than that of this "paw demo". Set DATABASE_URL to a new database, or delete data/demo.db if an earlier version has made it.',
  );
}

/**
 * Creates the sample data if the database does not have it. Returns its account, with at most 100 of its projects and 100 of
 * its wallets.
 */
export async function createSamples(operator: OperatorContext): Promise<Samples> {
  const { database, publicUrl } = operator;
  if ((await findAccount(database, ACCOUNT_ID)) === undefined) await insertSamples(operator);
  const account = resourceName('accounts', ACCOUNT_ID);
  const ofAccount = { values: [ACCOUNT_ID] };
  const [projects] = await PROJECT_LIST.readPages(database, ofAccount, FIRST_PAGE);
  const [wallets] = await WALLET_LIST.readPages(database, ofAccount, FIRST_PAGE);
  return {
    account,
    projects: projects?.items.map((row) => projectFromRow(row, publicUrl())) ?? [],
    wallets: wallets?.items.map(walletFromRow) ?? [],
  };
}

/** Adds 100 addresses for new wallets on each network. Nobody has their keys. */
export async function addSampleAddresses(
  operator: OperatorContext,
  account: ResourceName<'accounts'>,
): Promise<void> {
  for (const network of NETWORKS) {
    await addAddresses(operator, { account, network }, sampleAddresses(network));
  }
}

async function* sampleAddresses(network: Network): AsyncGenerator<string> {
  for (let n = 0; n < 100; n += 1) yield `0x${hash('sha256', `${network} ${n}`).slice(0, 40)}`;
}

function insertSamples(operator: OperatorContext): Promise<void> {
  return operator.database.transaction(async (transaction) => {
    // One transaction, so that an interrupted start does not leave incomplete samples.
    const database = {
      ...transaction,
      transaction: (work) => work(transaction),
    } satisfies OperatorContext['database'];
    const context: OperatorContext = { ...operator, database };
    const { name: account, defaultProject: project } = await createAccount(withFirstId(context, ACCOUNT_ID), {
      title: ACCOUNT,
    });
    for (const [title, description] of SAMPLE_PROJECTS)
      await createProject(asOperator(context), { account, title, description });
    for (const [title, network, address, id] of SAMPLE_WALLETS) {
      await registerWallet(withFirstId(context, id as Ulid | undefined), {
        project,
        title,
        network,
        address,
      });
    }
    await addSampleAddresses(context, account);
  });
}

/** Returns the context of an operation that gives what it creates this id. Its event has an id of its own. */
function withFirstId(context: OperatorContext, id: Ulid | undefined): OperatorContext {
  const ids = id === undefined ? [] : [id];
  return { ...context, newId: () => ids.shift() ?? context.newId() };
}
