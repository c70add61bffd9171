import { useEffect, useRef, useState } from 'preact/hooks';
import type { TypedDocumentString } from './generated/documents.ts';
import { Observable, useObservable } from './observable.ts';
import { newIdempotencyKey, RequestError, request } from './request.ts';
import { sessionState } from './session.ts';
import { TEXTS } from './texts.ts';

/** The state of a query. The data of an earlier answer stays until the next one. */
export type Query<Data> = {
  readonly data?: Data;
  readonly error?: RequestError;
};

const refreshes = new Observable(0);

/** Sends the queries of the screen again. */
export function refresh(): void {
  refreshes.set(refreshes.value + 1);
}

/** Sends a query, and sends it again when its variables or the token change, and after each mutation. */
export function useQuery<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
): Query<Data> {
  const { session } = useObservable(sessionState);
  const [state, setState] = useState<Query<Data>>({});
  const count = useObservable(refreshes);
  useEffect(() => {
    let isLatest = true;
    setState(({ error, ...before }) => before);
    request(document, variables).then(
      (data) => isLatest && setState({ data }),
      (error) => isLatest && setState((before) => ({ ...before, error })),
    );
    return () => {
      isLatest = false;
    };
  }, [document, JSON.stringify(variables), session, count]);
  return state;
}

/** Returns the resource in a response; undefined if it is missing, or of a different kind. */
export function nodeOf<Node>(data: { readonly node: Node } | undefined) {
  return data?.node && typeof data.node === 'object' && 'name' in data.node
    ? (data.node as Extract<Node, { readonly name: string }>)
    : undefined;
}

/** Returns whether the resource of a query does not exist, or its name is malformed. */
export function isMissing({ data, error }: Query<{ readonly node: unknown }>): boolean {
  return data ? nodeOf(data) === undefined : error?.details.status === 400;
}

/**
 * Returns the function that sends a mutation, with one idempotency key for the open form: if an answer is lost, the same
 * request gets it again, and another one is refused, so no form creates two apps or two keys.
 *
 * @param isUpdate the mutation can be executed with several inputs, the last of which counts: each has its own key
 */
export function useMutation<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  isUpdate = false,
) {
  const keys = useRef(new Map<string, string>());
  return async (variables: Variables): Promise<Data> => {
    const text = isUpdate ? JSON.stringify(variables) : '';
    const idempotencyKey = keys.current.get(text) ?? newIdempotencyKey();
    keys.current.set(text, idempotencyKey);
    try {
      const data = await request(document, variables, { idempotencyKey });
      refresh();
      return data;
    } catch (error) {
      const { message = '', details } = error instanceof RequestError ? error : {};
      if (details?.reason === 'NO_RESPONSE')
        throw new RequestError(`${message} ${TEXTS.appliedOnce}`, details);
      if (details?.reason !== 'IDEMPOTENCY_KEY_REUSED') throw error;
      throw new RequestError(TEXTS.alreadySubmitted, details);
    }
  };
}
