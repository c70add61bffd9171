import { malformedRequest } from '../http/http-error.ts';
import { ApiError, invalidFields } from '../model/api-error.ts';
import { rejectUnknownFields } from '../model/fields.ts';

/**
 * Returns a body, or an object in a body, after checking its field names. The operation validates
 * the values.
 *
 * @param names the known fields
 * @param parent the name of the object, if it is not the body itself
 * @throws INVALID_ARGUMENT if the value is not an object, or has unknown fields
 */
export function unpackObject(
  body: unknown,
  names: readonly string[],
  parent?: string,
): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw parent === undefined
      ? malformedRequest('The body must be a JSON object.')
      : invalidFields([{ field: parent, description: 'Must be an object.' }]);
  }
  rejectUnknownFields(Object.keys(body), names, parent);
  return body as Record<string, unknown>;
}

/**
 * Returns the parameters of a query string.
 *
 * @param names the known parameters
 * @throws INVALID_ARGUMENT if it has unknown or repeated parameters
 */
export function unpackQuery<Name extends string>(
  query: unknown,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const parameters = query as Readonly<Record<string, string | string[]>>;
  rejectUnknownFields(Object.keys(parameters), names);
  const repeated = names.filter((name) => Array.isArray(parameters[name]));
  if (repeated.length > 0) {
    throw invalidFields(repeated.map((field) => ({ field, description: 'Must not be repeated.' })));
  }
  return parameters as Readonly<Partial<Record<Name, string>>>;
}

/** Returns the integer in a parameter, or the unchanged text if it is not one, which the operation then rejects. */
export function unpackInteger(text: string | undefined): number | string | undefined {
  return text !== undefined && /^(0|-?[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
}

/**
 * Runs an operation, and renames the fields in its errors to their names in REST.
 *
 * @param names the names in REST, by the names in the operation
 */
export async function renameFields<T>(
  names: Readonly<Record<string, string>>,
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof ApiError) || error.fieldViolations.length === 0) throw error;
    throw invalidFields(
      error.fieldViolations.map(({ field, description }) => ({ field: names[field] ?? field, description })),
    );
  }
}
