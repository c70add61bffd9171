import { malformedRequest } from '../http/http-error.ts';
import { ApiError, invalidFields } from '../model/api-error.ts';
import type { RequestFields } from './operations.ts';

/**
 * Takes a body apart, whose fields are for the operation to check.
 *
 * @param fields the fields that it may have
 * @param within the name of the object in the request, if it is not the whole body
 * @throws INVALID_ARGUMENT if it is not an object, or has other fields
 */
export function unpackObject(
  body: unknown,
  fields: RequestFields,
  within?: string,
): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw within === undefined
      ? malformedRequest('The body must be a JSON object.')
      : invalidFields([{ field: within, description: 'Must be an object.' }]);
  }
  rejectUnknownFields(Object.keys(body), fields, within);
  return body as Record<string, unknown>;
}

/**
 * Takes a query string apart.
 *
 * @param fields the parameters that it may have
 * @throws INVALID_ARGUMENT if it has others, or one of them twice
 */
export function unpackQuery(
  query: unknown,
  fields: RequestFields,
): Readonly<Record<string, string | undefined>> {
  const sent = query as Readonly<Record<string, string | string[]>>;
  rejectUnknownFields(Object.keys(sent), fields);
  const repeated = Object.keys(fields).filter((name) => Array.isArray(sent[name]));
  if (repeated.length > 0) {
    throw invalidFields(repeated.map((field) => ({ field, description: 'Must be given once.' })));
  }
  return sent as Readonly<Record<string, string>>;
}

/** The number that a parameter spells in the plain decimal form, or the text as it is, which is no number. */
export function unpackInteger(text: string | undefined): number | string | undefined {
  return text !== undefined && /^(0|-?[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
}

/** Runs an operation whose fields have other names in REST, and names those in its errors. */
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

function rejectUnknownFields(sent: readonly string[], fields: RequestFields, within?: string): void {
  const others = sent.filter((field) => !Object.hasOwn(fields, field));
  if (others.length === 0) return;
  const known = Object.keys(fields).join(', ');
  const description = `Is not a field of this request, which takes ${known || 'none here'}.`;
  throw invalidFields(others.map((field) => ({ field: within ? `${within}.${field}` : field, description })));
}
