import { isUtf8 } from 'node:buffer';
import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { fileIn, UsageError } from './command.ts';

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

/** Opens a file, or standard input if it has no name or `-`. Both throw UsageError if they can't be read. */
export async function streamOf(file = '-'): Promise<AsyncIterable<Uint8Array | string>> {
  if (file === '-') return named('Standard input', process.stdin);
  const path = fileIn({ file });
  try {
    // A directory can be opened, and then not be read.
    if ((await stat(path)).isDirectory()) throw new Error('It is a directory');
    return named(path, (await open(path)).createReadStream());
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function* named(name: string, stream: Readable): AsyncGenerator<Uint8Array | string> {
  try {
    yield* stream;
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): UsageError {
  return new UsageError(`${name} can't be read: ${error instanceof Error ? error.message : error}.`);
}

// It leaves out a byte order mark, with which some programs begin a file.
const DECODER = new TextDecoder();

const MAX_LINE_BYTES = 100_000;

/** Reads a stream line by line. One that is not in UTF-8 is undefined, and one of more than 100,000 bytes, which is the last. */
export async function* linesOf(
  input: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<string | undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of input) {
    rest = Buffer.concat([rest, Buffer.from(chunk)]);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      yield textOf(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE_BYTES) return yield undefined;
  }
  if (rest.length > 0) yield textOf(rest);
}

function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? DECODER.decode(bytes) : undefined;
}
