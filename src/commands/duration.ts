import { ConfigError, readDuration, SECONDS_BY_UNIT } from '../config.ts';
import { UsageError } from './command.ts';
import { counted } from './counts.ts';

const UNITS = [
  ['day', SECONDS_BY_UNIT.d],
  ['hour', SECONDS_BY_UNIT.h],
  ['minute', SECONDS_BY_UNIT.m],
] as const;

/** Returns the seconds of an option whose value is a duration. @throws UsageError as `readDuration` throws ConfigError */
export function durationOf(option: string, text: string, min?: number, max?: string): number {
  try {
    return readDuration(`--${option}`, text, min, max);
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

/** Returns a duration in the largest unit of which it is a multiple, such as `90 days`. */
export function inWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? ['second', 1];
  return counted(seconds / size, unit);
}
