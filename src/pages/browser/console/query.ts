import { useCallback, useEffect, useState } from 'preact/hooks';
import type { TypedDocumentString } from './generated-documents.ts';
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
  const [state, setState] = useState<{ data?: Data; error?: RequestError }>({});
  const [attempt, setAttempt] = useState(0);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
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
  }, [document, JSON.stringify(variables), session, attempt]);
  return { ...state, reload };
}
