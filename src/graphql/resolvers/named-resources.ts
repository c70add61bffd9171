import type { Resource } from '../../data/lists/get-resources.ts';
import { type FieldViolation, invalidFields } from '../../model/errors.ts';
import { ValidationError, type Validator } from '../../model/fields/fields.ts';
import type { ResourceName } from '../../model/resource-name.ts';
import type { GraphqlContext } from '../context.ts';
import { MAX_ITEMS } from '../rules/document-cost.ts';

/** A name in a list as the client sent it, and its path in the request. */
export type SentName = {
  readonly field: string;
  readonly value: unknown;
  readonly validator: Validator<ResourceName>;
};

// With more, the whole list is refused: each error takes as much of the response as several items.
const MAX_MALFORMED = 20;

/**
 * Loads the resources of a list of names. A malformed name is an error in its place, and the others stand.
 *
 * @param argument the name of the argument that is the list
 * @param nameOf returns the name in an item, whose path is `path`
 * @throws INVALID_ARGUMENT if there are too many names, or more than 20 are malformed
 */
export async function loadNamed<Item>(
  argument: keyof typeof MAX_ITEMS,
  items: readonly Item[],
  nameOf: (item: Item, path: string) => SentName,
  { resources }: GraphqlContext,
): Promise<readonly (Resource | null)[]> {
  const maxItems = MAX_ITEMS[argument];
  if (items.length > maxItems) {
    throw invalidFields([{ field: argument, description: `Must have at most ${maxItems} items.` }]);
  }
  const violations: FieldViolation[] = [];
  const names = items.map((item, index) => {
    const { field, value, validator } = nameOf(item, `${argument}[${index}]`);
    try {
      return validator(value);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      if (violations.length === MAX_MALFORMED) throw invalidFields(violations);
      const violation = { field, description: error.message };
      violations.push(violation);
      return violation;
    }
  });
  return Promise.all(
    names.map((name) => (typeof name === 'string' ? resources.load(name) : errorOfItem(name))),
  );
}

/** An error in a list belongs to its item: graphql-js completes it as null. The generated types do not know this. */
function errorOfItem(violation: FieldViolation): null {
  const error: unknown = invalidFields([violation]);
  return error as null;
}
