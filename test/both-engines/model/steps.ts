import fc from 'fast-check';
import type { Step } from './model.ts';

/**
 * A step before it is run. Its numbers select among the resources that exist by then, modulo their
 * count, so that a shorter sequence is a valid one.
 */
export type Draft = {
  /** The instance and the API that get the request. */
  readonly instance: number;
  readonly api: number;
  readonly kind: Step['kind'];
  readonly token: number;
  readonly target: number;
  readonly other: number;
  readonly flag: boolean;
  readonly input: Readonly<Record<string, unknown>>;
};

const title = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).filter(isStorable) },
  { weight: 1, arbitrary: fc.constantFrom('', 'x'.repeat(200), '😀'.repeat(200), 'x'.repeat(201)) },
);

const description = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }).filter(isStorable) },
  { weight: 1, arbitrary: fc.constantFrom('', 'x'.repeat(2000), 'x'.repeat(2001)) },
);

// An unknown network is an error of GraphQL's own types, which come before the token.
const network = fc.constantFrom(
  'NETWORK_ETHEREUM',
  'NETWORK_ETHEREUM_RINKEBY',
  'NETWORK_ETHEREUM_RINKERBY',
  'NETWORK_POLYGON',
  'NETWORK_POLYGON_MUMBAI',
);

const password = fc.constantFrom('short', 'x'.repeat(33), 'p'.repeat(32));

// Passwords are rare, because hashing them is slow on purpose.
const input = fc.oneof(
  { weight: 12, arbitrary: fc.record({ title, description, network }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.record({ title, password }, { requiredKeys: ['password'] }) },
);

/** All steps, the frequent ones first. */
const KINDS: readonly (readonly [Step['kind'], weight: number])[] = [
  ['updateWallet', 30],
  ['listProjects', 20],
  ['signIn', 20],
  ['createApp', 15],
  ['setAppActive', 4],
  ['updateApp', 6],
  ['rotateAppKey', 6],
  ['viewer', 4],
  ['signOut', 3],
  ['revokeToken', 4],
  ['createProject', 3],
];

const kind = fc.oneof(...KINDS.map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) })));

const draft = fc.record({
  instance: fc.nat(1),
  api: fc.nat(1),
  kind,
  token: fc.nat(50),
  target: fc.nat(50),
  other: fc.nat(50),
  flag: fc.boolean(),
  input,
});

const advance: fc.Arbitrary<readonly Draft[]> = draft.map((each) => [{ ...each, kind: 'advanceClock' }]);

// Steps of one batch run at the same time. The clock moves only between batches.
const batch: fc.Arbitrary<readonly Draft[]> = fc.oneof(
  { weight: 12, arbitrary: fc.array(draft, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: advance },
);

/** Sequences of batches, of up to `max`. */
export function batches(max: number): fc.Arbitrary<readonly (readonly Draft[])[]> {
  return fc.array(batch, { minLength: 1, maxLength: max, size: 'max' });
}

/** Whether both engines can store a text. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
