import type { Readable } from 'node:stream';
import { UsageError } from './command.ts';

const MAX_LENGTH = 4096;

/**
 * Reads the first line of a stream, without surrounding white space.
 *
 * @throws UsageError if it is longer than 4,096 characters
 */
export async function readLine(input: Readable): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += String(chunk);
    if (text.length > MAX_LENGTH) throw new UsageError('The line on standard input is too long.');
    if (text.includes('\n')) break;
  }
  const [line = ''] = text.split('\n');
  return line.trim();
}
