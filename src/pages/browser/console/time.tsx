import { useEffect, useState } from 'preact/hooks';

/** Formats the time of a moment that is near. */
export const TIME_OF_DAY = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const DATE_AND_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

const DISTANCE = new Intl.RelativeTimeFormat('en');

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time of the API, in the time zone of the person. */
export function Time({ value }: { value: string }) {
  return (
    <time dateTime={value} title={value}>
      {DATE_AND_TIME.format(new Date(value))}
    </time>
  );
}

/** Returns the current time in Unix milliseconds, again and again. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(clock);
  }, [everyMs]);
  return now;
}

/** Returns a distance such as `in 3 hours`. */
export function distance(ms: number): string {
  if (ms < 2 * HOUR_MS) return DISTANCE.format(Math.ceil(ms / MINUTE_MS), 'minute');
  if (ms < 2 * DAY_MS) return DISTANCE.format(Math.floor(ms / HOUR_MS), 'hour');
  return DISTANCE.format(Math.floor(ms / DAY_MS), 'day');
}
