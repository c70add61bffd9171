/**
 * A checker of linearizability: the search of Wing and Gong with the memoisation of Lowe, as in Porcupine. Each resource
 * has a history of its own, which is sound because linearizability is local (Herlihy and Wing).
 *
 * - J. M. Wing, C. Gong: Testing and Verifying Concurrent Objects, 1993
 * - G. Lowe: Testing for Linearizability, 2017
 */

/** Some or all fields of a resource. */
export type Fields = Readonly<Record<string, string>>;

/** An operation on one resource. */
export type Operation = {
  /** The request and the instance, for an explanation. */
  readonly text: string;
  /** The fields that it sets; none if it only reads. */
  readonly set: Fields;
  /** The fields that its response shows, after its effect. */
  readonly shown?: Fields;
  /** When it was sent, and when its response arrived. No two times of a history are equal. */
  readonly start: number;
  /** Infinity if its result is unknown: it takes effect at any time after its start, or never. */
  readonly end: number;
};

/** A call or a return, in a list in the order of time. */
type Entry = { readonly index: number; readonly isCall: boolean; previous: Entry; next: Entry | undefined };

/**
 * Checks the operations on a resource.
 *
 * @returns undefined if they are linearizable, otherwise an explanation with as few operations as possible
 */
export function explainViolation(initial: Fields, history: readonly Operation[]): string | undefined {
  if (isLinearizable(initial, history)) return undefined;
  const operations = minimalViolation(initial, history).map(
    ({ text, set, shown, start, end }) =>
      `  ${start} to ${end === Infinity ? 'unknown' : end}: ${text}, ${JSON.stringify({ set, shown })}`,
  );
  return `No order of these operations explains their results, from ${JSON.stringify(initial)}:\n${operations.join('\n')}`;
}

/** Whether each operation can take effect at one moment between its start and its end. */
export function isLinearizable(initial: Fields, history: readonly Operation[]): boolean {
  const operations = history.filter((each) => each.end !== Infinity || isObserved(each, history));
  const head = entriesOf(operations);
  const seen = new Set<string>();
  const steps: { readonly call: Entry; readonly state: Fields }[] = [];
  let state = initial;
  let applied = 0n;
  let pending = operations.filter(({ end }) => end !== Infinity).length;
  const count = ({ index }: Entry) => (operations[index]?.end === Infinity ? 0 : 1);
  let entry = head.next;
  while (pending > 0) {
    if (entry?.isCall === true) {
      const next = stateAfter(state, operations[entry.index]);
      const key = next && `${(applied | (1n << BigInt(entry.index))).toString(36)} ${JSON.stringify(next)}`;
      if (next === undefined || key === undefined || seen.has(key)) {
        entry = entry.next;
        continue;
      }
      seen.add(key);
      steps.push({ call: entry, state });
      state = next;
      applied |= 1n << BigInt(entry.index);
      pending -= count(entry);
      unlink(entry);
      entry = head.next;
    } else if (entry !== undefined && (applied >> BigInt(entry.index)) % 2n === 1n) {
      entry = entry.next;
    } else {
      // An operation has returned without its effect: the last step was wrong.
      const step = steps.pop();
      if (step === undefined) return false;
      state = step.state;
      applied &= ~(1n << BigInt(step.call.index));
      pending += count(step.call);
      relink(step.call);
      entry = step.call.next;
    }
  }
  return true;
}

function entriesOf(operations: readonly Operation[]): Entry {
  const times = operations.flatMap(({ start, end }, index) => [
    { index, isCall: true, time: start },
    ...(end === Infinity ? [] : [{ index, isCall: false, time: end }]),
  ]);
  const head = { index: -1, isCall: false, next: undefined } as unknown as Entry;
  let last = head;
  for (const { index, isCall } of times.sort((a, b) => a.time - b.time)) {
    last.next = { index, isCall, previous: last, next: undefined };
    last = last.next;
  }
  return head;
}

function unlink({ previous, next }: Entry): void {
  previous.next = next;
  if (next) next.previous = previous;
}

function relink(entry: Entry): void {
  entry.previous.next = entry;
  if (entry.next) entry.next.previous = entry;
}

/** Returns the state after an operation; undefined if the operation would have had another result. */
function stateAfter(state: Fields, operation: Operation | undefined): Fields | undefined {
  const { set = {}, shown = {} } = operation ?? {};
  const next: Fields = { ...state, ...set };
  return Object.entries(shown).every(([name, value]) => next[name] === value) ? next : undefined;
}

/** Whether another operation shows a value that this one sets. If not, the history without it is equivalent. */
function isObserved(operation: Operation, history: readonly Operation[]): boolean {
  return history.some(
    (other) =>
      other !== operation &&
      Object.entries(operation.set).some(([name, value]) => other.shown?.[name] === value),
  );
}

function minimalViolation(initial: Fields, history: readonly Operation[]): readonly Operation[] {
  const sorted = history.toSorted((a, b) => a.start - b.start);
  const until = (time: number) =>
    sorted
      .filter(({ start }) => start <= time)
      .map(({ shown, ...each }) =>
        each.end <= time ? { ...each, ...(shown && { shown }) } : { ...each, end: Infinity },
      );
  const ends = sorted.map(({ end }) => end).filter((end) => end !== Infinity);
  ends.sort((a, b) => a - b);
  // Each prefix of a linearizable history is linearizable, so the shortest that is not is found by bisection.
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isLinearizable(initial, until(ends[middle] ?? 0))) low = middle + 1;
    else high = middle;
  }
  let rest = until(ends[low] ?? 0);
  const isRead = ({ set }: Operation) => Object.keys(set).length === 0;
  // A write can be left out once no read shows it.
  for (const operation of [...rest.filter(isRead), ...rest.filter((each) => !isRead(each))]) {
    const without = rest.filter((each) => each !== operation);
    if (!isObserved(operation, without) && !isLinearizable(initial, without)) rest = without;
  }
  return rest;
}
