import { malformedRequest } from '../http/errors/error-responses.ts';
import { invalidFields } from '../model/errors.ts';
import { rejectUnknownFields } from '../model/fields/fields.ts';
import { isJsonObject, type JsonObject } from '../model/fields/json.ts';

/**
 * Returns a body, or an object in a body, after checking its field names. The operation validates
 * the values.
 *
 * @param parent the name of the object, if it is not the body itself
 * @throws INVALID_ARGUMENT if the value is not an object, or has unknown fields
 */
export function unpackObject(body: unknown, names: readonly string[], parent?: string): JsonObject {
  if (!isJsonObject(body)) {
    if (parent === undefined) throw malformedRequest('The body must be a JSON object.');
    const description =
      body === undefined ? 'Required.' : `Must be an object with the fields ${names.join(' and ')}.`;
    throw invalidFields([{ field: parent, description }]);
  }
  rejectUnknownFields(Object.keys(body), names, parent);
  return body;
}

/**
 * Returns the parameters of a query string.
 *
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
