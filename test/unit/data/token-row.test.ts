import { expect, test } from 'vitest';
import { principalFromRow } from '../../../src/data/conversions/token.ts';
import type { TokenRow } from '../../../src/storage/tables/tokens.ts';

test('a token of an app sees the project of the app alone, whatever its row says', () => {
  const row = { app_id: 'A', project_id: 'P', is_one_project: 0 } as unknown as TokenRow;
  expect(principalFromRow(row)).toMatchObject({ appId: 'A', projectId: 'P', isOneProject: true });
});
