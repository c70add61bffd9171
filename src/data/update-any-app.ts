import type { App } from '../model/app.ts';
import { optional, parseFields, resourceNameValidator, title } from '../model/fields.ts';
import { updateApp } from '../storage/apps.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { appFromRow } from './from-row.ts';
import { requireRow } from './require-row.ts';

const VALIDATORS = { name: resourceNameValidator('apps'), title: optional(title) };

/**
 * Updates an app of any account. Omitted fields are not changed.
 *
 * @param input `name` and, optionally, `title`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function updateAnyApp({ database }: AdminContext, input: UntrustedInput): Promise<App> {
  const { name, title } = parseFields(input, VALIDATORS);
  const row = await updateApp(database, name, { title });
  return appFromRow(requireRow(row, 'name', 'app'));
}
