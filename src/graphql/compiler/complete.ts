import {
  type FieldNode,
  type GraphQLError,
  type GraphQLResolveInfo,
  locatedError,
  responsePathAsArray,
} from 'graphql';
import { LruCache } from '../../model/lru-cache.ts';
import type { Values } from './input-values.ts';

export type Path = GraphQLResolveInfo['path'];
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
  readonly variables: Values;
  readonly errors: GraphQLError[];
  /** The places that an error has made null. Undefined stands for all of `data`. */
  readonly nulled: Set<Path | undefined>;
};

/** Makes what a resolver gave ready for JSON. @throws what makes it null, or else what is around it */
export type Complete = (value: unknown, run: Run, path: Path) => unknown;

/** Where in the document a field is selected. */
export type Place = { readonly kind: FieldNode['kind']; readonly loc: FieldNode['loc'] };

/** A field of the answer, of which all is known that does not depend on the request. */
export type Field = {
  readonly key: string;
  readonly parentName: string;
  readonly places: readonly Place[];
  readonly isNonNull: boolean;
  readonly needsPath: boolean;
  /** The property of the object that the field is, if it is text, as most are. */
  readonly textProperty: string | undefined;
  /** What the field always is, if it is the name of the object's type. */
  readonly constant: string | undefined;
  readonly resolve: (source: unknown, run: Run, path: Path) => unknown;
  readonly complete: Complete;
};

const NOWHERE: Path = { prev: undefined, key: '', typename: undefined };

type Completed = Record<string, unknown>;

/** Makes an object of the answer. */
export type CompleteObject = (source: unknown, run: Run, path: Path | undefined) => MaybePromise<Completed>;

/**
 * Makes the function that completes an object, whose fields are all begun before any
 * is waited for. It is written out as code for these very fields: a loop over them
 * takes several times as long, since V8 then knows neither what is read nor what is made.
 */
export function objectCompleter(fields: readonly Field[]): CompleteObject {
  if (fields.length === 0) return () => ({});
  const code = codeOf(fields);
  let make = makers.get(code);
  if (make === undefined) {
    make = new Function('fields', 'completeField', 'isPromise', 'settle', 'fail', code) as MakeCompleter;
    makers.set(code, make, code.length);
  }
  return make(fields, completeField, isPromise, settle, fail);
}

type MakeCompleter = (
  fields: readonly Field[],
  complete: typeof completeField,
  promise: typeof isPromise,
  settleObject: typeof settle,
  failObject: typeof fail,
) => CompleteObject;

// Shared by all that select alike, so that V8 optimises each but once. In characters.
const makers = new LruCache<MakeCompleter>(200_000);

/** The code of an object's completer. All names in it are GraphQL's, which need no escapes. */
function codeOf(fields: readonly Field[]): string {
  const values = fields.map((_, n) => `v${n}`).join(', ');
  const assignments = fields.map(({ textProperty, constant }, n) => {
    if (constant !== undefined) return `v${n} = '${constant}';`;
    const completed = `completeField(fields[${n}], source, run, path)`;
    if (textProperty === undefined) return `v${n} = ${completed};`;
    return `v${n} = source.${textProperty}; if (typeof v${n} !== 'string') v${n} = ${completed};`;
  });
  const promises = fields.flatMap(({ constant }, n) => (constant === undefined ? `isPromise(v${n})` : []));
  return `return (source, run, path) => {
    let ${values};
    try {
      ${assignments.join('\n')}
    } catch (error) {
      return fail([${values}], error);
    }
    const object = { ${fields.map(({ key }, n) => `${key}: v${n}`).join(', ')} };
    return ${promises.join(' || ') || 'false'} ? settle(object, fields) : object;
  };`;
}

/** Waits for those fields of an object that are promises, in their places among the others. */
function settle(object: Completed, fields: readonly Field[]): Promise<Completed> {
  const pending: Promise<void>[] = [];
  for (const { key } of fields) {
    const value = object[key];
    if (!isPromise(value)) continue;
    pending.push(
      value.then((completed) => {
        object[key] = completed;
      }),
    );
  }
  return Promise.all(pending).then(() => object);
}

/** Fails an object, once the fields that were begun before have come to an end: none may fail unheard. */
function fail(begun: readonly unknown[], error: unknown): Promise<never> {
  const pending = begun.filter(isPromise);
  if (pending.length === 0) throw error;
  return Promise.all(pending).finally(() => {
    throw error;
  }) as Promise<never>;
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
    failed(error, field.places, field.isNonNull, run, field.needsPath ? path : placeOf());
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
  places: readonly Place[],
  isItemNonNull: boolean,
): Complete {
  const completeItem = (item: unknown, run: Run, path: Path): unknown => {
    try {
      const completed = isPromise(item)
        ? item.then((resolved) => complete(resolved, run, path))
        : complete(item, run, path);
      return isPromise(completed)
        ? completed.then(undefined, (error: unknown) => failed(error, places, isItemNonNull, run, path))
        : completed;
    } catch (error) {
      return failed(error, places, isItemNonNull, run, path);
    }
  };
  return (value, run, path) => {
    const items: unknown[] = [];
    let isPending = false;
    for (const item of value as Iterable<unknown>) {
      const completed = completeItem(item, run, { prev: path, key: items.length, typename: undefined });
      isPending ||= isPromise(completed);
      items.push(completed);
    }
    return isPending ? Promise.all(items) : items;
  };
}

/** Makes what failed null, or else throws on, to what is around it. */
function failed(thrown: unknown, places: readonly Place[], isNonNull: boolean, run: Run, path: Path): null {
  const error = locatedError(thrown, places as readonly FieldNode[], responsePathAsArray(path));
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

/** Resolvers give promises of JavaScript's own, or none: to look for any `then` takes longer. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}
