import type { ContenderOptions } from './contender.ts';
import type { BenchData } from './data.ts';
import { ROW_HEADER } from './load.ts';
import * as workloads from './workloads.ts';

/** Whether the runs are short. */
export const IS_QUICK = process.argv.includes('--quick');

const PAGES = 900;

/** The hand-written server of each engine. */
const HAND_WRITTEN = { SQLite: 'baseline-sqlite', PostgreSQL: 'baseline-postgres' } as const;

export type Engine = keyof typeof HAND_WRITTEN;

/** One side of a comparison: a server, its database and its requests. */
export type Side = ContenderOptions & {
  readonly server: string;
  readonly data: BenchData;
  readonly requests: workloads.Requests;
};

/** Another side, and the maximum of the gateway's processor time relative to it. */
export type Other = Side & { readonly label: string; readonly target?: number | undefined };

/** A workload, and the servers that are compared with the gateway. */
export type Comparison = {
  readonly name: string;
  readonly gateway: Side;
  readonly others: readonly Other[];
  /** Whether the responses of all servers must be equal. */
  readonly sameResponses?: boolean | undefined;
  /** Whether each request makes an audit event, which are counted. */
  readonly makesEvents?: boolean | undefined;
};

/** An ordinary request, and the maxima of its processor time relative to two servers. */
type Workload = {
  readonly name: string;
  requests(data: BenchData): workloads.Requests;
  readonly ofBare?: number;
  /** Without it, there is no hand-written server. */
  readonly ofHandWritten?: number;
  readonly sameResponses?: boolean | undefined;
  readonly makesEvents?: boolean | undefined;
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
  {
    name: 'REST update',
    requests: ({ account }) => workloads.restUpdates([account]),
    ofHandWritten: 1.5,
    sameResponses: true,
    makesEvents: true,
  },
  {
    name: 'REST update, 20 accounts',
    requests: ({ accounts }) => workloads.restUpdates(accounts),
    ofHandWritten: 1.5,
    sameResponses: true,
    makesEvents: true,
  },
  {
    name: 'GraphQL update',
    requests: ({ account }) => workloads.graphqlUpdates([account]),
    ofHandWritten: 1.5,
    makesEvents: true,
  },
  {
    name: 'REST sign-in',
    requests: workloads.signIns,
    ofHandWritten: 1.5,
    makesEvents: true,
  },
  { name: 'Nested page of 10', requests: workloads.nestedPages },
  { name: 'Title search', requests: workloads.titleSearches },
  { name: 'Wallet by reference', requests: workloads.referenceLookUps },
  { name: 'Events of a time', requests: workloads.eventPages },
  { name: 'createWallet', requests: workloads.walletCreations },
  { name: 'createToken', requests: workloads.tokenCreations },
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

/**
 * Returns data with a half of the apps. The hand-written server has the other half, because it never revokes the oldest tokens of
 * an app.
 */
function withApps(data: BenchData, isHandWritten: boolean): BenchData {
  const half = data.apps.length / 2;
  return { ...data, apps: isHandWritten ? data.apps.slice(half) : data.apps.slice(0, half) };
}

/** Returns the comparisons of ordinary requests on an engine. */
export function ordinaryComparisons(options: OrdinaryOptions): readonly Comparison[] {
  const { engine, data, responses, other } = options;
  return WORKLOADS.flatMap((workload) => {
    const name = `${workload.name}, ${engine}`;
    const side = (server: string, ownData = data) => {
      const make = workload.requests(withApps(ownData, server === HAND_WRITTEN[engine]));
      const requests = (n: number) => {
        const request = make(n);
        return { ...request, headers: { ...request.headers, [ROW_HEADER]: name } };
      };
      return { server, data: ownData, requests };
    };
    const servers = Object.entries(other ? {} : (workload.servers ?? {}));
    const { ofHandWritten, ofBare, sameResponses, makesEvents } = workload;
    // Its writes would change the database of this commit, and not that of the other one.
    const hasHandWritten = (sameResponses || ofHandWritten !== undefined) && !(other && makesEvents);
    const comparison = {
      name,
      gateway: side('gateway'),
      others: [
        ...(other ? [{ ...side('gateway', other.data), root: other.root, label: other.name }] : []),
        ...(hasHandWritten
          ? [{ ...side(HAND_WRITTEN[engine]), label: 'hand-written', target: ofHandWritten }]
          : []),
        ...servers.map(([server, label]) => ({ ...side(server), label })),
        {
          ...side('bare'),
          // One process for both engines.
          data: { ...data, url: '' },
          responses,
          label: 'bare `node:http`',
          target: ofBare,
        },
      ],
      sameResponses,
      makesEvents,
    };
    const logging = servers.slice(0, 1).map(([server, label]) => ({
      name: `${workload.name} with log and limits, ${engine}`,
      gateway: { ...side('gateway'), hasLog: true },
      others: [{ ...side(server), hasLog: true, label }],
    }));
    return [comparison, ...logging];
  });
}
