import { expectTypeOf, test } from 'vitest';
import type { ChangesOf } from '../../../src/storage/sql/columns.ts';
import type { AppChanges, AppRow } from '../../../src/storage/tables/apps.ts';
import type { updateProjectRow } from '../../../src/storage/tables/projects.ts';
import type { WalletChanges } from '../../../src/storage/tables/wallets.ts';

/** The properties that a value of a type can leave out. */
type Optional<T> = { [Name in keyof T]-?: Omit<T, Name> extends T ? Name : never }[keyof T];

// `npm run typecheck` checks the types.
test('an update that leaves out a column that is not excluded does not compile', () => {
  type ProjectChanges = Parameters<typeof updateProjectRow>[3];
  expectTypeOf<
    Optional<WalletChanges> | Optional<AppChanges> | Optional<ProjectChanges>
  >().toEqualTypeOf<never>();
  expectTypeOf<keyof ProjectChanges>().toEqualTypeOf<'title' | 'description' | 'reference'>();
  expectTypeOf<keyof AppChanges>().toEqualTypeOf<'title' | 'active' | 'revision'>();
  // COALESCE would keep the value.
  expectTypeOf<null>().not.toExtend<ChangesOf<AppRow, 'previous_key_id'>['previous_key_id']>();
});
