import { useRef } from 'preact/hooks';
import { type Query, refresh } from './query.ts';
import type { RequestError } from './request.ts';
import { useFocusAfter } from './screen.tsx';

/** An error of a request, with a button to retry. */
export function Problem({ error, onRetry }: { error: RequestError; onRetry: () => void }) {
  const { message, isTemporary } = error;
  const { status, requestId } = error.details;
  const box = useRef<HTMLDivElement>(null);
  useFocusAfter(box);
  // The dialog for another token is open.
  if (status === 401) return null;
  return (
    <div ref={box} class="problem" role="alert">
      <p>{message}</p>
      {requestId && <small>Request {requestId}</small>}
      {isTemporary && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Why the answer of a query is not there. */
export function Pending({ query: { data, error } }: { query: Query<unknown> }) {
  if (error) return <Problem error={error} onRetry={refresh} />;
  return data ? null : <Loading />;
}

/** Shown until the first response, if it takes long. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}
