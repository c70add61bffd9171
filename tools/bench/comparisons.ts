import { spawnSync } from 'node:child_process';
import type { ContenderOptions } from './contender.ts';
import type { BenchData } from './data.ts';
import { type Request, ROW_HEADER } from './load.ts';
import type { Target } from './report.ts';
import * as workloads from './workloads.ts';

/** Whether the runs are short, and the databases small. */
export const IS_QUICK = process.argv.includes('--quick');

/** The number of projects in each database. */
export const SMALL = 1000;
export const BIG = IS_QUICK ? 100_000 : 1_000_000;
export const POSTGRES_COUNT = IS_QUICK ? 20_000 : 200_000;

/** The number of different documents of a comparison. */
const DOCUMENTS = 1000;

/** The number of apps that sign in, half of those of a database. */
const APPS = 16;

const SMALL_PAGES = 90;
const PAGES = 900;
const BIG_PAGES = IS_QUICK ? 2000 : 20_000;

/** The hand-written server of each engine. */
const HAND_WRITTEN = { SQLite: 'baseline-sqlite', PostgreSQL: 'baseline-postgres' } as const;

export type Engine = keyof typeof HAND_WRITTEN;

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
  /** Whether the responses of all servers must be equal. */
  readonly sameResponses?: boolean;
};

/** An ordinary request, and the maxima of its processor time relative to two servers. */
type Workload = {
  readonly name: string;
  requests(data: BenchData): readonly Request[];
  readonly ofBare?: number;
  readonly ofHandWritten?: number;
  readonly sameResponses?: boolean;
  /** Other servers with the same API. */
  readonly servers?: Readonly<Record<string, string>>;
};

const WORKLOADS: readonly Workload[] = [
  {
    name: 'Relay page of 10',
    requests: (data) => workloads.graphqlPages(data, PAGES),
    ofBare: 7,
    sameResponses: true,
    servers: { mercurius: 'Mercurius with JIT', 'apollo-express': 'Apollo Server on Express' },
  },
  {
    name: 'REST page of 10',
    requests: (data) => workloads.restPages(data, PAGES),
    ofBare: 6,
    sameResponses: true,
  },
  { name: 'REST update', requests: workloads.restUpdates, ofHandWritten: 1.5, sameResponses: true },
  { name: 'GraphQL update', requests: workloads.graphqlUpdates, ofHandWritten: 1.5 },
  { name: 'REST sign-in', requests: (data) => workloads.signIns(data, APPS) },
];

/** Another commit of the gateway: its name, its folder, and its database. */
export type OtherCommit = { readonly name: string; readonly root: string; readonly data: BenchData };

/** What ordinary requests on an engine are compared with. */
export type OrdinaryOptions = {
  readonly engine: Engine;
  readonly data: BenchData;
  /** The file of the responses that bare `node:http` repeats. */
  readonly responses: string;
  /** The commit to compare with; without it, other servers with the same API. */
  readonly other: OtherCommit | undefined;
};

/** Returns the comparisons of ordinary requests on an engine. */
export function ordinaryComparisons(options: OrdinaryOptions): readonly Comparison[] {
  const { engine, data, responses, other } = options;
  // Apps of its own: the gateway ends the oldest tokens of an app, and the hand-written server ends none.
  const handWritten = { ...data, apps: data.apps.slice(APPS) };
  // Updates of fewer wallets wait for each other more often.
  const wallets = Math.min(data.wallets.length, other?.data.wallets.length ?? Number.POSITIVE_INFINITY);
  return WORKLOADS.map((workload) => {
    const name = `${workload.name}, ${engine}`;
    const side = (server: string, ownData = data) => ({
      server,
      data: ownData,
      requests: workload
        .requests({ ...ownData, wallets: ownData.wallets.slice(0, wallets) })
        .map((request) => ({ ...request, headers: { ...request.headers, [ROW_HEADER]: name } })),
    });
    const labels = other ? {} : (workload.servers ?? {});
    const servers = Object.entries(labels).map(([server, label]) => ({ ...side(server), label }));
    return {
      name,
      gateway: side('gateway'),
      others: [
        ...(other ? [{ ...side('gateway', other.data), root: other.root, label: other.name }] : []),
        {
          ...side(HAND_WRITTEN[engine], handWritten),
          label: 'hand-written',
          target: atMost(workload.ofHandWritten),
        },
        ...servers,
        {
          ...side('bare'),
          // One process for both engines.
          data: { ...data, url: '' },
          responses,
          label: 'bare `node:http`',
          target: atMost(workload.ofBare),
        },
      ],
      sameResponses: workload.sameResponses ?? false,
    };
  });
}

function atMost(processorTime: number | undefined): Target | undefined {
  return processorTime === undefined ? undefined : { processorTime };
}

/** The databases of further comparisons. */
export type Databases = {
  readonly small: BenchData;
  readonly big: BenchData;
  readonly postgres: BenchData;
};

/** Returns further comparisons. @param cursor a cursor of PostGraphile, as a pattern of the others */
export function furtherComparisons(
  { small, big, postgres }: Databases,
  cursor: string,
): readonly Comparison[] {
  const pages = gateway(big, workloads.graphqlPages(big, BIG_PAGES));
  return [
    against(
      'Relay page of 10 with a log of all requests, SQLite',
      { ...pages, isLogging: true },
      { ...pages, label: 'without a log' },
    ),
    against('Relay page of 10, PostgreSQL', gateway(postgres, workloads.graphqlPages(postgres, BIG_PAGES)), {
      server: 'postgraphile',
      data: postgres,
      requests: workloads.postgraphilePages(postgres, BIG_PAGES, cursor),
      label: 'PostGraphile',
    }),
    against('REST sign-in of one app, PostgreSQL', gateway(postgres, workloads.signIns(postgres, 1)), {
      ...gateway(postgres, workloads.signIns(postgres, 16)),
      label: 'of 16 apps',
    }),
    against('OAuth token of 16 apps, PostgreSQL', gateway(postgres, workloads.oauthTokens(postgres, 16)), {
      ...gateway(postgres, workloads.signIns(postgres, 16)),
      label: 'REST sign-in',
      target: { relativeRate: 0.9 },
    }),
    against(
      'Relay page of 10, an update to 19 of them, SQLite',
      gateway(big, workloads.graphqlMix(big, BIG_PAGES)),
      { ...pages, label: 'without updates' },
    ),
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
    return against(name, side, {
      ...side,
      server: HAND_WRITTEN.SQLite,
      label: 'hand-written',
      target: { relativeRate },
    });
  });
}

function gateway(data: BenchData, requests: readonly Request[]): Side {
  return { server: 'gateway', data, requests };
}

function against(name: string, gateway: Side, other: Other): Comparison {
  return { name, gateway, others: [other] };
}
