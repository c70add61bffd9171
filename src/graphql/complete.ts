import {
  type FieldNode,
  type GraphQLError,
  type GraphQLResolveInfo,
  locatedError,
  responsePathAsArray,
} from 'graphql';

export type Path = GraphQLResolveInfo['path'];
export type Variables = Readonly<Record<string, unknown>>;
type MaybePromise<T> = T | Promise<T>;

/** What an operation came to. */
export type Outcome = {
  /** For JSON, as it is. */
  readonly data: object | null;
  readonly errors: readonly GraphQLError[];
};

/** One execution. */
export type Run = {
  readonly context: unknown;
  readonly variables: Variables;
  readonly errors: GraphQLError[];
  /** The places that an error has made null. Undefined stands for all of `data`. */
  readonly nulled: Set<Path | undefined>;
};

/** Makes what a resolver gave ready for JSON. @throws what makes it null, or else what is around it */
export type Complete = (value: unknown, run: Run, path: Path) => unknown;

/** A field of the answer, of which all is known that does not depend on the request. */
export type Field = {
  readonly key: string;
  readonly parentName: string;
  readonly nodes: readonly FieldNode[];
  readonly isNonNull: boolean;
  readonly needsPath: boolean;
  /** The property of the object that the field is, if it is text. */
  readonly textProperty: string | undefined;
  readonly resolve: (source: unknown, run: Run, path: Path) => unknown;
  readonly complete: Complete;
};

const NOWHERE: Path = { prev: undefined, key: '', typename: undefined };

type Completed = Record<string, unknown>;

/** Completes an object, whose fields are all begun before any is waited for. */
export function completeObject(
  fields: readonly Field[],
  source: unknown,
  run: Run,
  path: Path | undefined,
): MaybePromise<Completed> {
  const object: Completed = {};
  let pending: Promise<void>[] | undefined;
  try {
    for (const field of fields) {
      const value = textOf(field, source) ?? completeField(field, source, run, path);
      // A promise keeps the place of its value among the others.
      object[field.key] = value;
      if (isPromise(value)) {
        pending ??= [];
        pending.push(
          value.then((completed) => {
            object[field.key] = completed;
          }),
        );
      }
    }
  } catch (error) {
    if (pending === undefined) throw error;
    // None of the others may fail without anybody who listens.
    return Promise.all(pending).finally(() => {
      throw error;
    }) as Promise<never>;
  }
  return pending === undefined ? object : Promise.all(pending).then(() => object);
}

/** The value of a field that is but text which its object has, as most are. */
function textOf({ textProperty }: Field, source: unknown): string | undefined {
  if (textProperty === undefined) return undefined;
  const value = (source as Readonly<Record<string, unknown>>)[textProperty];
  return typeof value === 'string' ? value : undefined;
}

/** Completes the object of a mutation, whose fields are begun one after another. */
export async function completeInTurn(fields: readonly Field[], run: Run): Promise<Completed> {
  const object: Completed = {};
  for (const field of fields) object[field.key] = await completeField(field, undefined, run, undefined);
  return object;
}

function completeField(field: Field, source: unknown, run: Run, around: Path | undefined): unknown {
  const placeOf = () => ({ prev: around, key: field.key, typename: field.parentName });
  // Most fields are values that nobody asks for the place of, unless they fail.
  const path = field.needsPath ? placeOf() : NOWHERE;
  const failedHere = (error: unknown) =>
    failed(error, field.nodes, field.isNonNull, run, field.needsPath ? path : placeOf());
  try {
    const value = field.resolve(source, run, path);
    const completed = isPromise(value)
      ? value.then((resolved) => field.complete(resolved, run, path))
      : field.complete(value, run, path);
    return isPromise(completed) ? completed.then(undefined, failedHere) : completed;
  } catch (error) {
    return failedHere(error);
  }
}

export function listCompleter(
  complete: Complete,
  nodes: readonly FieldNode[],
  isItemNonNull: boolean,
): Complete {
  const completeItem = (item: unknown, run: Run, path: Path): unknown => {
    try {
      const completed = isPromise(item)
        ? item.then((resolved) => complete(resolved, run, path))
        : complete(item, run, path);
      return isPromise(completed)
        ? completed.then(undefined, (error: unknown) => failed(error, nodes, isItemNonNull, run, path))
        : completed;
    } catch (error) {
      return failed(error, nodes, isItemNonNull, run, path);
    }
  };
  return (value, run, path) => {
    const items = Array.from(value as Iterable<unknown>, (item, index) =>
      completeItem(item, run, { prev: path, key: index, typename: undefined }),
    );
    return items.some(isPromise) ? Promise.all(items) : items;
  };
}

/** Makes what failed null, or else throws on, to what is around it. */
function failed(
  thrown: unknown,
  nodes: readonly FieldNode[],
  isNonNull: boolean,
  run: Run,
  path: Path,
): null {
  const error = locatedError(thrown, nodes, responsePathAsArray(path));
  if (isNonNull) throw error;
  note(run, error, path);
  return null;
}

/** What an execution comes to, whose data are null if an error leaves nothing of them. */
export function outcomeOf(run: Run, complete: () => MaybePromise<object>): Outcome | Promise<Outcome> {
  const withData = (data: object) => ({ data, errors: run.errors });
  const withoutData = (error: unknown) => {
    note(run, error as GraphQLError, undefined);
    return { data: null, errors: run.errors };
  };
  try {
    const data = complete();
    return isPromise(data) ? data.then(withData, withoutData) : withData(data);
  } catch (error) {
    return withoutData(error);
  }
}

/** Notes an error, unless its place has been made null already by another. */
function note({ errors, nulled }: Run, error: GraphQLError, path: Path | undefined): void {
  for (let place = path; ; place = place.prev) {
    if (nulled.has(place)) return;
    if (place === undefined) break;
  }
  nulled.add(path);
  errors.push(error);
}

export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
