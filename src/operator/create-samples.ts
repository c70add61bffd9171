import { hash } from 'node:crypto';
import type { OperatorContext } from '../data/call/call.ts';
import { inOneTransaction } from '../data/call/one-transaction.ts';
import { walletFromRow } from '../data/conversions/wallet.ts';
import { listProjects } from '../data/list-projects.ts';
import { readList } from '../data/lists/read-list.ts';
import { createProject } from '../data/projects/create-project.ts';
import { ConfigError } from '../model/errors.ts';
import { MAX_PAGE_SIZE } from '../model/lists/list-page.ts';
import { NETWORKS, type Network } from '../model/network.ts';
import type { Project } from '../model/project.ts';
import { type ResourceName, resourceName, type Ulid } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import type { Queryable } from '../storage/interface/database.ts';
import { findAccount, findFirstAccount } from '../storage/tables/accounts.ts';
import { WALLET_LIST_OF_ALL } from '../storage/tables/wallets.ts';
import { createAccount } from './create-account.ts';
import { registerWallet } from './register-wallet.ts';
import { addAddresses } from './supply-addresses.ts';

export type Samples = {
  readonly account: ResourceName<'accounts'>;
  readonly projects: readonly Project[];
  readonly wallets: readonly Wallet[];
};

// By its id, a later start finds the account of the samples.
const ACCOUNT_ID = '01M7XVFAC8V2Q4E6T0N5R3HWKD' as Ulid;

const ACCOUNT = resourceName('accounts', ACCOUNT_ID);

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

// Source of the addresses: the examples of EIP-55. The first wallet is from the example in the REST contract, so
// a client that has imported the contract updates it with the request unchanged.
const SAMPLE_WALLETS = [
  {
    name: 'wallets/01M7XVFACX7TDDST8TMXWW608M',
    title: 'Operations',
    network: 'NETWORK_ETHEREUM',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  },
  {
    title: 'Payouts',
    network: 'NETWORK_POLYGON',
    address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  },
];

/** @throws ConfigError if the database has accounts, but not the sample account, or if that one is not active */
export async function assertOfSamples(database: Pick<Queryable, 'read'>): Promise<void> {
  const account = await findAccount(database, ACCOUNT_ID);
  if (account?.state === 'ACTIVE') return;
  if (account !== undefined) {
    throw new ConfigError(
      `The account of the demo, ${ACCOUNT}, has the state ${account.state}, so no token is valid. Use "paw account resume", or "paw account delete" to start over, on the database of the demo (DATABASE_URL=sqlite:data/demo.db by default).`,
    );
  }
  if ((await findFirstAccount(database)) === undefined) return;
  throw new ConfigError(
    'The database has accounts that this "paw demo" did not create. Set DATABASE_URL to a new database, or delete data/demo.db if an earlier version created it.',
  );
}

/**
 * Creates the sample data if the database does not have it. Returns its account, with at most 100 of its projects and 100 of
 * its wallets.
 */
export async function createSamples(operator: OperatorContext): Promise<Samples> {
  const { database } = operator;
  if ((await findAccount(database, ACCOUNT_ID)) === undefined)
    await inOneTransaction(operator, insertSamples);
  const first = MAX_PAGE_SIZE;
  const projects = await listProjects(operator, { account: ACCOUNT, first });
  const ofAccount = { list: WALLET_LIST_OF_ALL, values: [ACCOUNT_ID], toItem: walletFromRow };
  const wallets = await readList(database, ofAccount, { first });
  return { account: ACCOUNT, projects: projects.items, wallets: wallets.items };
}

/** Adds 100 addresses for new wallets on each network. No one has their keys. */
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

async function insertSamples(operator: OperatorContext): Promise<void> {
  const { defaultProject: project } = await createAccount(operator, { name: ACCOUNT, title: 'Atlas Studio' });
  for (const [title, description] of SAMPLE_PROJECTS)
    await createProject(operator, { account: ACCOUNT, title, description });
  for (const wallet of SAMPLE_WALLETS) await registerWallet(operator, { ...wallet, project });
  await addSampleAddresses(operator, ACCOUNT);
}
