import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Puts a file, or the names of the files in a folder, on disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
