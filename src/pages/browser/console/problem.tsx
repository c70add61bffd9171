import { useEffect, useState } from 'preact/hooks';
import type { RequestError } from './request.ts';

// A longer wait is left to the person.
const MAX_WAIT_MS = 120_000;

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** An error of a request. It is repeated at the time that the gateway names, or when the person wants. */
export function Problem({ error, onRetry }: { error: RequestError; onRetry: () => void }) {
  const { retryTime, requestId, isTemporary } = error;
  const waits = retryTime !== undefined && retryTime - Date.now() < MAX_WAIT_MS;
  const seconds = useCountdown(waits ? retryTime : undefined, onRetry);
  // The dialog for another token is open.
  if (error.status === 401) return null;
  return (
    <div class="problem" role="alert">
      <p>
        {error.message}
        {retryTime !== undefined && ` ${waits ? 'Tries again' : 'Try again'} at ${TIME.format(retryTime)}.`}
        {seconds !== undefined && <span aria-hidden="true"> {seconds} s</span>}
      </p>
      {isTemporary && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
      {requestId && <small>Request {requestId}</small>}
    </div>
  );
}

/** Returns the seconds until a time, at which it calls `onEnd`. */
function useCountdown(time: number | undefined, onEnd: () => void): number | undefined {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (time === undefined) return;
    const clock = setInterval(() => setNow(Date.now()), 1000);
    const end = setTimeout(onEnd, time - Date.now());
    return () => {
      clearInterval(clock);
      clearTimeout(end);
    };
    // The latest `onEnd` does the same as the first.
  }, [time]);
  return time === undefined ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}
