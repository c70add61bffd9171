import { spawnSync } from 'node:child_process';
import type { ContenderOptions } from './contender.ts';
import type { BenchData } from './data.ts';
import type { Request } from './load.ts';
import type { Target } from './report.ts';
import * as workloads from './workloads.ts';

/** Whether the runs are short, and the databases small. */
export const IS_QUICK = process.argv.includes('--quick');

/** The number of projects in each database. */
export const SMALL = 1000;
export const BIG = IS_QUICK ? 100_000 : 1_000_000;
export const POSTGRES_COUNT = IS_QUICK ? 20_000 : 200_000;

/** The number of different documents of a comparison. */
export const DOCUMENTS = 1000;

const SMALL_PAGES = 90;
const BIG_PAGES = IS_QUICK ? 2000 : 20_000;

const LABELS: Readonly<Record<string, string>> = {
  'baseline-sqlite': 'hand-written',
  'baseline-postgres': 'hand-written',
  mercurius: 'Mercurius with JIT',
  'apollo-express': 'Apollo Server on Express',
  postgraphile: 'PostGraphile',
};

/** One side of a comparison: a server, its database and its requests. */
export type Side = ContenderOptions & {
  readonly server: string;
  readonly data: BenchData;
  readonly requests: readonly Request[];
  /** The number of connections that send updates at the same time. The updates are not measured. */
  readonly writers?: number;
};

export type Other = Side & { readonly label: string; readonly target?: Target | undefined };

/** A workload, and the servers that are compared with the gateway. */
export type Comparison = {
  readonly name: string;
  readonly gateway: Side;
  readonly others: readonly Other[];
  /** The target of the gateway alone, if there is no other server. */
  readonly target?: Target;
  /** Whether the responses of all servers must be equal. */
  readonly sameResponses?: boolean;
};

/** The databases of the servers. */
export type Databases = { readonly small: BenchData; readonly big: BenchData; readonly postgres: BenchData };

/** Returns the rows of the table. @param cursor a cursor of PostGraphile, as a pattern of the others */
export function comparisons({ small, big, postgres }: Databases, cursor: string): readonly Comparison[] {
  const pages = workloads.graphqlPages(big, BIG_PAGES);
  const postgresPages = workloads.graphqlPages(postgres, BIG_PAGES);
  const [restPages, restPostgres] = [big, postgres].map((data) => workloads.restPages(data, BIG_PAGES));
  const [sqlite, pg] = ['baseline-sqlite', 'baseline-postgres'] as const;
  const others = { mercurius: undefined, 'apollo-express': undefined };
  const logging = versus('Relay page of 10 with a log of all requests, SQLite', big, pages, {
    [sqlite]: { processorTime: 1.4 },
  });
  return [
    same(versus('Relay page of 10, SQLite', big, pages, { [sqlite]: { processorTime: 1.3 }, ...others })),
    { ...logging, gateway: { ...logging.gateway, isLogging: true } },
    same(
      versus('Relay page of 10, PostgreSQL', postgres, postgresPages, {
        [pg]: { processorTime: 1.2 },
        ...others,
      }),
    ),
    against('Relay page of 10, PostgreSQL', gateway(postgres, postgresPages), {
      server: 'postgraphile',
      data: postgres,
      requests: workloads.postgraphilePages(postgres, BIG_PAGES, cursor),
      label: LABELS['postgraphile'] ?? '',
    }),
    same(versus('REST page of 10, SQLite', big, restPages ?? [], { [sqlite]: { processorTime: 1.25 } })),
    same(versus('REST page of 10, PostgreSQL', postgres, restPostgres ?? [], { [pg]: { processorTime: 1 } })),
    same(
      versus('REST update, SQLite', small, workloads.restUpdates(small), { [sqlite]: { relativeRate: 2 } }),
    ),
    same(
      versus('REST update, PostgreSQL', postgres, workloads.restUpdates(postgres), {
        [pg]: { processorTime: 1.6 },
      }),
    ),
    versus('GraphQL update, SQLite', small, workloads.graphqlUpdates(small), { [sqlite]: undefined }),
    versus('GraphQL update, PostgreSQL', postgres, workloads.graphqlUpdates(postgres), { [pg]: undefined }),
    ...[
      { name: 'REST sign-in of 16 apps, PostgreSQL', apps: 16, rate: 1500 },
      { name: 'REST sign-in of one app, PostgreSQL', apps: 1, rate: 1000 },
    ].map(({ name, apps, rate }) => ({
      ...versus(name, postgres, workloads.signIns(postgres, apps), {}),
      target: { rate },
    })),
    against('OAuth token of 16 apps, PostgreSQL', gateway(postgres, workloads.oauthTokens(postgres, 16)), {
      ...gateway(postgres, workloads.signIns(postgres, 16)),
      label: 'REST sign-in',
      target: { relativeRate: 0.9 },
    }),
    versus('Relay page of 10, an update to 19 of them, SQLite', big, workloads.graphqlMix(big, BIG_PAGES), {
      [sqlite]: undefined,
    }),
    ...findComparisons(big, 'SQLite'),
    ...findComparisons(postgres, 'PostgreSQL'),
    ...slowDiskComparisons(small),
    against(
      `Relay page of 10 by ${DOCUMENTS} documents, SQLite`,
      gateway(small, workloads.graphqlDocuments(small, DOCUMENTS)),
      { ...gateway(small, workloads.graphqlDocuments(small, DOCUMENTS, 1)), label: 'by one document' },
    ),
    against(
      `Relay page of 10 among ${BIG} projects and tokens`,
      gateway(big, workloads.graphqlPages(big, SMALL_PAGES)),
      { ...gateway(small, workloads.graphqlPages(small, SMALL_PAGES)), label: `among ${SMALL}` },
    ),
  ];
}

/** The cost to find wallets, beside that of pages of 10 wallets without a filter. */
function findComparisons(data: BenchData, engine: string): readonly Comparison[] {
  const label = 'without a filter';
  const other = { ...gateway(data, workloads.walletPages(data, BIG_PAGES)), label };
  const byTitle = (titleOf: (n: number) => string) =>
    gateway(data, workloads.walletsByTitle(data, BIG_PAGES, titleOf));
  const byAddress = gateway(data, workloads.walletsAtAddresses(data, BIG_PAGES));
  // Without the last digit, up to 10 titles have the beginning, or 100 or more if it is short.
  const ofSome = byTitle((n) => `wallet ${n}`.slice(0, -1));
  return [
    against(`find wallets by address among ${data.count}, ${engine}`, byAddress, other),
    against(`find a page of 10 by title among ${data.count}, ${engine}`, ofSome, other),
    against(
      `find a page of 10 by what all ${data.count} titles have, ${engine}`,
      byTitle(() => 'wallet'),
      other,
    ),
  ];
}

/** The effect of slow disk syncs on reads and updates. */
function slowDiskComparisons(data: BenchData): readonly Comparison[] {
  if (spawnSync('strace', ['--version']).status !== 0) {
    console.error('The rows of a slow disk are left out: strace (Debian package strace) is not installed.');
    return [];
  }
  const slow = { syncMs: 5 };
  const [reads, writes] = [workloads.restPages(data, SMALL_PAGES), workloads.restUpdates(data)];
  const label = LABELS['baseline-sqlite'] ?? '';
  return [
    {
      name: 'REST page of 10 beside 32 writers, sync of 5 ms',
      requests: reads,
      writers: 32,
      relativeRate: 4,
    },
    { name: 'REST update, sync of 5 ms', requests: writes, writers: 0, relativeRate: 8 },
  ].map(({ name, requests, writers, relativeRate }) => {
    const side = { ...gateway(data, requests), ...slow, writers };
    return against(name, side, { ...side, server: 'baseline-sqlite', label, target: { relativeRate } });
  });
}

function gateway(data: BenchData, requests: readonly Request[]): Side {
  return { server: 'gateway', data, requests };
}

function against(name: string, gateway: Side, other: Other): Comparison {
  return { name, gateway, others: [other] };
}

function same(comparison: Comparison): Comparison {
  return { ...comparison, sameResponses: true };
}

/** Compares the gateway with other servers on the same database. `others` gives the targets. */
function versus(
  name: string,
  data: BenchData,
  requests: readonly Request[],
  others: Readonly<Record<string, Target | undefined>>,
): Comparison {
  return {
    name,
    gateway: gateway(data, requests),
    others: Object.entries(others).map(([server, target]) => ({
      server,
      data,
      requests,
      label: LABELS[server] ?? server,
      target,
    })),
  };
}
