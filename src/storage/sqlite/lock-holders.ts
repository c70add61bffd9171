import { readFileSync, statSync } from 'node:fs';

/** Returns the ids of the other processes that have locks on a file. Source: proc(5), /proc/locks. */
export function otherLockHolders(path: string): readonly number[] {
  try {
    const { ino } = statSync(path);
    const locks = readFileSync('/proc/locks', 'utf8').matchAll(/ (\d+) [\da-f]+:[\da-f]+:(\d+) /g);
    const ids = locks.filter(([, , inode]) => Number(inode) === ino).map(([, id]) => Number(id));
    return [...new Set(ids)].filter((id) => id !== process.pid);
  } catch {
    // Other systems have no such file.
    return [];
  }
}
