/** Lines for a shell, which the commands print. */

import { CLIENT_SETTINGS, clientSettings } from '../client-settings.ts';

/** Returns the lines that set the variables of the other lines. */
export function shellVariables(url: string, token: string): string {
  return `${clientSettings({ url, token })}
AUTH="Authorization: Bearer $${CLIENT_SETTINGS.token}"
JSON="Content-Type: application/json"`;
}

/** Returns a REST request. @param options the method and the body, if it is not GET */
export function restRequest(path: string, options = ''): string {
  return `curl -sw '\\n' ${requestOptions(path, options)}`;
}

/** Returns the arguments of `curl` for a request. */
export function requestOptions(path: string, options = ''): string {
  return `"$${CLIENT_SETTINGS.url}${path}" -H "$AUTH"${options && ` -H "$JSON" ${options}`}`;
}

/** Returns a GraphQL request. @param variables JSON, in which a shell variable is `'"$NAME"'` */
export function graphqlRequest(query: string, variables = ''): string {
  return restRequest('/graphql', `-d '{"query":"${query}"${variables && `,"variables":${variables}`}}'`);
}
