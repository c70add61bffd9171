import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/storage/migrations/migrations.ts';

test('a migration that renames or drops something is not compatible with the version before it', () => {
  for (const { version, compatibleFrom, statements } of MIGRATIONS) {
    const takesAway = statements.some((sql) => /\bRENAME\b|\bDROP (TABLE|COLUMN)\b/.test(sql));
    if (takesAway) expect(compatibleFrom).toBe(version);
  }
});
