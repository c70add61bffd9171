import { readDuration, SECONDS_BY_UNIT } from '../../config.ts';
import { ConfigError } from '../../model/errors.ts';
import { UsageError } from './command.ts';
import { counted } from './counts.ts';

const UNITS = { d: 'days', h: 'hours', m: 'minutes', s: 'seconds' } as const;

/** Returns the seconds of an option whose value is a duration. @throws UsageError as `readDuration` throws ConfigError */
export function durationOf(option: string, text: string, min?: number, max?: string): number {
  try {
    return readDuration(`--${option}`, text, min, max);
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

/** Returns a duration in the largest unit that divides it, such as `90 days`. */
export function inWords(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds % SECONDS_BY_UNIT[each] === 0) ?? 's';
  return counted(seconds / SECONDS_BY_UNIT[unit], UNITS[unit]);
}
