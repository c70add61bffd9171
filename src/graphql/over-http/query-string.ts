import { malformedRequest } from '../../http/errors/error-responses.ts';
import { type JsonObject, parseJson } from '../../model/fields/json.ts';

/**
 * Returns the query string without empty optional parameters, which count as absent. Source: GraphQL over HTTP, GET.
 *
 * @param resolve replaces the id of a trusted document with its text
 */
export function queryString(
  url: string,
  resolve: ((parameters: JsonObject) => JsonObject) | undefined,
): string {
  const { searchParams } = new URL(url, 'http://localhost');
  for (const name of ['operationName', 'variables', 'extensions']) searchParams.delete(name, '');
  const search = `?${searchParams}`;
  if (resolve === undefined) return search;
  // It would not be clear which of two documents is executed.
  if (new Set(searchParams.keys()).size < searchParams.size) {
    throw malformedRequest('A parameter of the query string is repeated.');
  }
  const { extensions, ...texts } = Object.fromEntries(searchParams);
  // Apollo Server rejects extensions that are not JSON.
  const parsed = { ...texts, ...(extensions !== undefined && { extensions: parseJson(extensions) }) };
  const resolved = resolve(parsed);
  if (resolved === parsed) return search;
  const { extensions: rest, ...others } = resolved as Readonly<Record<string, string>>;
  return `?${new URLSearchParams({ ...others, ...(rest && { extensions: JSON.stringify(rest) }) })}`;
}
