import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Query } from './query.ts';
import type { RequestError } from './request.ts';
import { useFocusAfter } from './screen.tsx';
import { DATE_AND_TIME, TIME_OF_DAY, useNow } from './time.tsx';

// A longer wait is left to the person.
const MAX_WAIT_MS = 120_000;

type ProblemProps = { readonly error: RequestError; readonly onRetry: () => void };

/** An error of a request. It is repeated at the time that the gateway names, or when the person wants. */
export function Problem({ error, onRetry }: ProblemProps) {
  const { message, requestId, isTemporary, retryTime } = error;
  const box = useRef<HTMLDivElement>(null);
  useFocusAfter(box);
  // The dialog for another token is open.
  if (error.status === 401) return null;
  return (
    <div ref={box} class="problem" role="alert">
      <p>{message}</p>
      {retryTime !== undefined && <Retry key={retryTime} time={retryTime} onRetry={onRetry} />}
      {requestId && <small>Request {requestId}</small>}
      {isTemporary && (
        <button type="button" onClick={onRetry}>
          {retryTime === undefined ? 'Try again' : 'Try again now'}
        </button>
      )}
    </div>
  );
}

/** Why the answer of a query is not there. */
export function Pending({ query: { data, error, reload } }: { query: Query<unknown> }) {
  if (error) return <Problem error={error} onRetry={reload} />;
  return data ? null : <Loading />;
}

/** What is shown until the first answer, if it takes long. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}

/** Repeats a request at a time. */
function Retry({ time, onRetry }: { time: number; onRetry: () => void }) {
  const now = useNow(1000);
  const [isAutomatic] = useState(time - now < MAX_WAIT_MS);
  // The cleanup of an effect that is not of the layout comes too late: after the edited form has been drawn.
  useLayoutEffect(() => {
    if (!isAutomatic) return;
    const timer = setTimeout(onRetry, time - Date.now());
    return () => clearTimeout(timer);
    // A later `onRetry` does the same.
  }, [time, isAutomatic]);
  if (!isAutomatic) return <p>Try again at {DATE_AND_TIME.format(time)}.</p>;
  return (
    <p>
      The console tries again at {TIME_OF_DAY.format(time)}
      <span aria-hidden="true">, in {Math.max(0, Math.ceil((time - now) / 1000))} s</span>.
    </p>
  );
}
