import { expect, test } from 'vitest';
import { isUrl } from '../../../src/storage/database-url.ts';

const FILES = [
  'paw-2026-11-28T07:40.db',
  'C:\\paw.db',
  'me@host/paw.db',
  'backups/me@host.db',
  '/backups/a:b@c.db',
  './postgres:paw.db',
  '../a:b@c.db',
  '-',
  '',
  `${'a'.repeat(100_000)}:${':'.repeat(100_000)}`,
];

test.each(FILES)('the name of a file is no URL: %s', (text) => {
  expect(isUrl(text)).toBe(false);
});
