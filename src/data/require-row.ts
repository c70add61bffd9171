import { invalidFields } from '../model/api-error.ts';

/**
 * Returns a row that was found by the name in a field of the input.
 *
 * @param row the row, or undefined if there is none
 * @param kind the kind of the row, such as `app`
 * @throws INVALID_ARGUMENT for the field if there is no row
 */
export function requireRow<Row>(row: Row | undefined, field: string, kind: string): Row {
  if (row === undefined) throw invalidFields([{ field, description: `Must be an existing ${kind}.` }]);
  return row;
}
