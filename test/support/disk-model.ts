import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const BLOCK_BYTES = 4096;
const SECTOR_BYTES = 512;

// At least the longest write of SQLite, so that strace truncates no write.
const MAX_STRING_BYTES = 200_000;

type Change =
  | { readonly kind: 'write'; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly size: number };

type Event =
  | { readonly type: 'change'; readonly path: string; readonly change: Change }
  | { readonly type: 'sync'; readonly path: string; readonly begin: number }
  | { readonly type: 'line'; readonly text: string };

/** The system calls of a process that change files, in the order of their returns. */
export type DiskTrace = {
  readonly length: number;
  /** The index of the printed line. */
  indexOf(line: string): number;
  /** The lines that the process had printed before the call `end`. */
  linesBefore(end: number): readonly string[];
  /**
   * A possible content of a file after a power cut at the call `end`.
   *
   * @param durable the index of a call; all earlier calls are assumed to be on disk
   * @param random returns numbers from 0 to 1; they choose which unsynced blocks are written, missing or torn
   */
  contentAfterCut(path: string, end: number, durable: number, random: () => number): Buffer;
};

/** Runs a program under `strace`, and records its file changes and its output. */
export function traceDisk(command: readonly string[], output: string): DiskTrace {
  const { status, stderr } = spawnSync(
    'strace',
    [
      ...['--follow-forks', '--seccomp-bpf', '--quiet=all', '--decode-fds=path', '--signal=none'],
      ...['--strings-in-hex=all', `--string-limit=${MAX_STRING_BYTES}`, '--output', output],
      '--trace=pwrite64,write,ftruncate,fsync,fdatasync',
      ...command,
    ],
    { encoding: 'utf8', maxBuffer: 1_000_000 },
  );
  if (status !== 0) throw new Error(`The traced program ended with ${status}: ${stderr}`);
  return traceOf(parse(readFileSync(output, 'latin1')));
}

function traceOf(events: readonly Event[]): DiskTrace {
  return {
    length: events.length,
    indexOf: (line) => events.findIndex((event) => event.type === 'line' && event.text === line),
    linesBefore: (end) =>
      events.slice(0, end).flatMap((event) => (event.type === 'line' ? [event.text] : [])),
    contentAfterCut(path, end, durable, random) {
      let synced = durable;
      for (const event of events.slice(0, end)) {
        if (event.type === 'sync' && event.path === path) synced = Math.max(synced, event.begin);
      }
      const content = new Content(sizeOf(path));
      for (const [index, event] of events.slice(0, end).entries()) {
        if (event.type !== 'change' || event.path !== path) continue;
        content.apply(event.change, index < synced ? () => 0 : random);
      }
      return content.bytes();
    },
  };

  function sizeOf(path: string): number {
    const ends = events.map((event) =>
      event.type === 'change' && event.path === path && event.change.kind === 'write'
        ? event.change.offset + event.change.bytes.length
        : 0,
    );
    return ends.reduce((a, b) => Math.max(a, b), 0);
  }
}

/** The content of a file while changes are applied to it. */
class Content {
  readonly #bytes: Buffer;
  #size = 0;

  constructor(capacity: number) {
    this.#bytes = Buffer.alloc(capacity);
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Applies a change, or the part that `random` chooses. 0 applies the whole change. */
  apply(change: Change, random: () => number): void {
    if (change.kind === 'truncate') {
      if (random() >= 0.5) return;
      this.#bytes.fill(0, change.size);
      this.#size = change.size;
      return;
    }
    const { offset, bytes } = change;
    const end = offset + bytes.length;
    for (let begin = offset; begin < end; ) {
      const blockEnd = Math.min(begin - (begin % BLOCK_BYTES) + BLOCK_BYTES, end);
      const kept = begin + keptBytes(blockEnd - begin, random);
      bytes.copy(this.#bytes, begin, begin - offset, kept - offset);
      if (kept > begin) this.#size = Math.max(this.#size, kept);
      begin = blockEnd;
    }
  }
}

/** The number of bytes of an unsynced block that are on disk: all, none, or some sectors. */
function keptBytes(length: number, random: () => number): number {
  const choice = random();
  if (choice < 0.4) return length;
  if (choice < 0.8) return 0;
  return Math.min(length, SECTOR_BYTES * Math.floor(random() * (BLOCK_BYTES / SECTOR_BYTES)));
}

/** Parses the output of `strace`. A call that another thread interrupts is on two lines. */
function parse(text: string): readonly Event[] {
  const events: Event[] = [];
  const unfinished = new Map<string, { call: string; begin: number }>();
  for (const line of text.split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith(' <unfinished ...>')) {
      unfinished.set(thread, { call: rest.slice(0, -' <unfinished ...>'.length), begin: events.length });
      continue;
    }
    const [, ending] = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest) ?? [];
    const start = ending === undefined ? undefined : unfinished.get(thread);
    const call = start ? start.call + ending : rest;
    const event = eventOf(call, start?.begin ?? events.length);
    if (event) events.push(event);
  }
  return events;
}

function eventOf(call: string, begin: number): Event | undefined {
  const [, name, file = '', path = '', args = '', result = ''] =
    /^(\w+)\((\d+)(?:<([^>]*)>)?(?:, )?(.*)\)\s+= (-?\d+)/.exec(call) ?? [];
  if (name === undefined || result.startsWith('-')) return undefined;
  if (name === 'fsync' || name === 'fdatasync') return { type: 'sync', path: unescapePath(path), begin };
  if (name === 'ftruncate') {
    return { type: 'change', path: unescapePath(path), change: { kind: 'truncate', size: Number(args) } };
  }
  const [, hex = '', , offset] = /^"((?:\\x[\da-f]{2})*)", (\d+)(?:, (\d+))?$/.exec(args) ?? [];
  const bytes = Buffer.from(hex.replaceAll('\\x', ''), 'hex').subarray(0, Number(result));
  if (name === 'write') {
    return file === '1' ? { type: 'line', text: bytes.toString().trimEnd() } : undefined;
  }
  return {
    type: 'change',
    path: unescapePath(path),
    change: { kind: 'write', offset: Number(offset), bytes },
  };
}

function unescapePath(path: string): string {
  return path.replace(/\\x([\da-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
