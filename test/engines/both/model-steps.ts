import fc from 'fast-check';

/** All steps that can run at the same time, with their frequency. */
const WEIGHTS = {
  updateWallet: 30,
  listProjects: 20,
  signIn: 20,
  createApp: 15,
  updateApp: 10,
  rotateAppKey: 6,
  viewer: 4,
  revokeToken: 4,
  signOut: 3,
  createProject: 3,
} as const;

export type Operation = keyof typeof WEIGHTS;

export type Kind = Operation | 'advanceClock';

/** The random input of a step. */
// biome-ignore lint/suspicious/noExplicitAny: the validators of the service check the types
export type Input = Readonly<Record<string, any>>;

/**
 * A step before it is run. Its numbers select among the resources that exist by then, modulo their
 * count, so that a shorter sequence is a valid one.
 */
export type Draft = {
  /** The instance and the API that get the request. */
  readonly instance: number;
  readonly api: number;
  readonly kind: Kind;
  readonly token: number;
  readonly target: number;
  readonly other: number;
  readonly flag: boolean;
  readonly input: Input;
};

const text = (maxLength: number) =>
  fc.string({ unit: 'binary', maxLength }).filter((each) => !each.includes('\0') && each.isWellFormed());

const texts = {
  title: fc.oneof(text(200), fc.constantFrom('', 'x'.repeat(200), '😀'.repeat(200), 'x'.repeat(201))),
  description: fc.oneof(text(300), fc.constantFrom('x'.repeat(2000), 'x'.repeat(2001))),
  // An unknown network is an error of GraphQL's own types, which come before the token.
  network: fc.constantFrom('NETWORK_ETHEREUM', 'NETWORK_ETHEREUM_RINKERBY', 'NETWORK_POLYGON'),
};

const password = fc.constantFrom('short', 'x'.repeat(33), 'p'.repeat(32));

// Passwords are rare, because hashing them is slow on purpose.
const input: fc.Arbitrary<Input> = fc.oneof(
  { weight: 12, arbitrary: fc.record(texts, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.record({ ...texts, password }, { requiredKeys: ['password'] }) },
);

const draft: fc.Arbitrary<Draft> = fc.record({
  instance: fc.nat(1),
  api: fc.nat(1),
  kind: fc.oneof(
    ...Object.entries(WEIGHTS).map(([kind, weight]) => ({
      weight,
      arbitrary: fc.constant(kind as Operation),
    })),
  ),
  token: fc.nat(50),
  target: fc.nat(50),
  other: fc.nat(50),
  flag: fc.boolean(),
  input,
});

// Steps of one batch run at the same time. The clock moves only between batches.
const batch: fc.Arbitrary<readonly Draft[]> = fc.oneof(
  { weight: 12, arbitrary: fc.array(draft, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: draft.map((each) => [{ ...each, kind: 'advanceClock' as const }]) },
);

/** Sequences of batches, of up to `max`. */
export function batches(max: number): fc.Arbitrary<readonly (readonly Draft[])[]> {
  return fc.array(batch, { minLength: 1, maxLength: max, size: 'max' });
}
