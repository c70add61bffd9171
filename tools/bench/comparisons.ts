import type { ContenderOptions } from './contender.ts';
import type { BenchData } from './data.ts';
import { type Request, ROW_HEADER } from './load.ts';
import * as workloads from './workloads.ts';

/** Whether the runs are short. */
export const IS_QUICK = process.argv.includes('--quick');

/** The number of apps that sign in, half of those of a database. */
const APPS = 16;

const PAGES = 900;

/** The hand-written server of each engine. */
const HAND_WRITTEN = { SQLite: 'baseline-sqlite', PostgreSQL: 'baseline-postgres' } as const;

export type Engine = keyof typeof HAND_WRITTEN;

/** One side of a comparison: a server, its database and its requests. */
export type Side = ContenderOptions & {
  readonly server: string;
  readonly data: BenchData;
  readonly requests: readonly Request[];
};

/** Another side, and the maximum of the gateway's processor time relative to it. */
export type Other = Side & { readonly label: string; readonly target?: number | undefined };

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
          target: workload.ofHandWritten,
        },
        ...servers,
        {
          ...side('bare'),
          // One process for both engines.
          data: { ...data, url: '' },
          responses,
          label: 'bare `node:http`',
          target: workload.ofBare,
        },
      ],
      sameResponses: workload.sameResponses ?? false,
    };
  });
}
