/** Lines for a shell, which the commands print. */

/** Returns the lines that set the variables of the other lines. */
export function shellVariables(url: string, accessToken: string): string {
  return `PAW=${url}
TOKEN=${accessToken}
AUTH="Authorization: Bearer $TOKEN"
JSON="Content-Type: application/json"`;
}

/** Returns a REST request. @param options the method and the body, if it is not GET */
export function restRequest(path: string, options = ''): string {
  return `curl -sw '\\n' ${requestOptions(path, options)}`;
}

/** Returns the arguments of `curl` for a request. */
export function requestOptions(path: string, options = ''): string {
  return `"$PAW${path}" -H "$AUTH"${options && ` -H "$JSON" ${options}`}`;
}

/** Returns a GraphQL request. @param variables JSON, in which a shell variable is `'"$NAME"'` */
export function graphqlRequest(query: string, variables = ''): string {
  return restRequest('/graphql', `-d '{"query":"${query}"${variables && `,"variables":${variables}`}}'`);
}
