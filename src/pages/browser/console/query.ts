import { useCallback, useEffect, useState } from 'preact/hooks';
import type { TypedDocumentString } from './generated-documents.ts';
import { keep, kept } from './kept.ts';
import { type RequestError, request } from './request.ts';
import { sessionState } from './session.ts';
import { useStore } from './store.ts';

/** The state of a query. The data of an earlier answer stays until the next one. */
export type Query<Data> = {
  readonly data?: Data;
  readonly error?: RequestError;
  /** Sends the query again. */
  readonly reload: () => void;
};

/** Sends a query, and sends it again when its variables or the token change. */
export function useQuery<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
): Query<Data> {
  const { session } = useStore(sessionState);
  const key = `${document} ${JSON.stringify(variables)}`;
  const [state, setState] = useState<{ data?: Data | undefined; error?: RequestError }>({ data: kept(key) });
  const [attempt, setAttempt] = useState(0);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  useEffect(() => {
    let isLatest = true;
    setState(({ error, ...before }) => before);
    request(document, variables).then(
      (data) => {
        if (!isLatest) return;
        keep(key, data);
        setState({ data });
      },
      (error) => isLatest && setState((before) => ({ ...before, error })),
    );
    return () => {
      isLatest = false;
    };
  }, [key, session, attempt]);
  const { data, error } = state;
  return { ...(data && { data }), ...(error && { error }), reload };
}

/** Returns the resource of an answer; undefined if it is missing, or if its name is that of another kind. */
export function nodeOf<Node>(data: { readonly node: Node } | undefined) {
  return data?.node && typeof data.node === 'object' && 'name' in data.node
    ? (data.node as Extract<Node, { readonly name: string }>)
    : undefined;
}

/** Returns whether the resource of a query does not exist, or its name is malformed. */
export function isMissing({ data, error }: Query<{ readonly node: unknown }>): boolean {
  return data ? nodeOf(data) === undefined : error?.status === 400;
}
