import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { withFields } from '../../model/fields/fields.ts';
import { readableFileIn, UsageError, unreadable } from './command.ts';

/**
 * Reads the first line of a stream, without surrounding white space.
 *
 * @throws UsageError if it is not in UTF-8, or longer than 100,000 bytes
 */
export async function readLine(input: Readable): Promise<string> {
  for await (const line of linesOf(input)) {
    if (line !== undefined) return line.trim();
    throw new UsageError('The line on standard input is not in UTF-8, or too long.');
  }
  return '';
}

type Lines = AsyncIterable<string | undefined>;

/**
 * Runs `work` on the lines of a file, or of standard input if it has no name or `-`. One that is not in UTF-8 is undefined, and
 * one of more than 100,000 bytes, which is the last. An error about `line <number>` or `file` names the file.
 *
 * @throws UsageError if the file can't be read
 */
export async function onLines<T>(file = '-', work: (lines: Lines) => Promise<T>): Promise<T> {
  const path = file === '-' ? 'Standard input' : readableFileIn({ file });
  const stream = file === '-' ? process.stdin : createReadStream(path);
  try {
    return await work(linesOf(named(path, stream)));
  } catch (error) {
    throw withFields(error, (field) =>
      field.replace(/^file$/, () => path).replace(/^line (?=\d)/, () => `${path}, line `),
    );
  }
}

async function* named(name: string, stream: Readable): AsyncGenerator<Uint8Array | string> {
  try {
    yield* stream;
  } catch (error) {
    throw unreadable(name, error);
  }
}

// It leaves out a byte order mark, which some programs put at the start of a file.
const DECODER = new TextDecoder();

const MAX_LINE_BYTES = 100_000;

async function* linesOf(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string | undefined> {
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
