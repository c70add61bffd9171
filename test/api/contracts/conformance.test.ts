import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONFORMANCE_PAGE, conformancePage, PROGRAM_NAMES, resultsOf } from '../../support/conformance.ts';

test('docs/conformance.md has a result of each program, the versions that are pinned, and the exceptions', () => {
  const page = readFileSync(CONFORMANCE_PAGE, 'utf8');
  const results = resultsOf(page);
  expect([...results.keys()]).toEqual(PROGRAM_NAMES);
  expect(conformancePage(results)).toBe(page);
  // The version of a package that is not installed.
  expect(page).not.toContain('undefined');
});
