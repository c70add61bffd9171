import { Observable, useObservable } from '../observable.ts';

const DATE_AND_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

const SHORT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

const DISTANCE = new Intl.RelativeTimeFormat('en');

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The end of a token is near if it is less far away than this. */
export const NEAR_MS = 7 * DAY_MS;

const now = new Observable(Date.now());
setInterval(() => now.set(Date.now()), MINUTE_MS);

/**
 * A time of the API: its distance, or the date if that is far, and the exact time in the time zone of the user.
 *
 * @param isExact the time is shown to the minute, whatever its distance is
 */
export function Time({ value, isExact = false }: { value: string; isExact?: boolean }) {
  const ms = useTimeLeft(value);
  const exact = Date.parse(value);
  return (
    <time dateTime={value} title={DATE_AND_TIME.format(exact)}>
      {isExact ? SHORT.format(exact) : Math.abs(ms) < 30 * DAY_MS ? distance(ms) : dateOf(value)}
    </time>
  );
}

/** Returns the date of a time in the time zone of the user, such as `31 Jan 2026`. */
export function dateOf(time: string): string {
  return DATE.format(Date.parse(time));
}

/** Returns the milliseconds until a time, again each minute. */
export function useTimeLeft(time: string): number {
  useObservable(now);
  return Date.parse(time) - Date.now();
}

/** Returns a distance such as `in 3 hours` or `5 minutes ago`. */
export function distance(ms: number): string {
  const size = Math.abs(ms);
  if (size < MINUTE_MS) return 'now';
  if (size < 2 * HOUR_MS) return DISTANCE.format(Math.trunc(ms / MINUTE_MS), 'minute');
  if (size < 2 * DAY_MS) return DISTANCE.format(Math.trunc(ms / HOUR_MS), 'hour');
  return DISTANCE.format(Math.trunc(ms / DAY_MS), 'day');
}
