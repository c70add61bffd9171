import type { Resource } from '../../data/lists/get-resources.ts';
import { type FieldViolation, invalidFields } from '../../model/errors.ts';
import { ValidationError, type Validator } from '../../model/fields/fields.ts';
import type { ResourceName } from '../../model/resource-name.ts';
import type { GraphqlContext } from '../context.ts';

/** A name in a list as the client sent it, and the path of it in the request. */
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
 * @throws INVALID_ARGUMENT if more than 20 names are malformed
 */
export async function loadNamed(
  sent: readonly SentName[],
  { resources }: GraphqlContext,
): Promise<readonly (Resource | null)[]> {
  const violations: FieldViolation[] = [];
  const names = sent.map(({ field, value, validator }) => {
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

/** An error in a list is that of its item: graphql-js completes it as null. The generated types do not know this. */
function errorOfItem(violation: FieldViolation): null {
  const error: unknown = invalidFields([violation]);
  return error as null;
}
