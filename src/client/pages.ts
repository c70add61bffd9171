import { GatewayError, parse, problemOf } from './response.ts';

/** A GraphQL list: a document with the variable `$after`, and its connection in the data. */
export type GraphqlList<Item> = {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: the data has the type of the document of the caller.
  readonly connection: (data: any) => {
    readonly nodes: readonly Item[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
  };
};

/**
 * Reads a list page by page: over GraphQL, or the projects over REST.
 *
 * @param list a GraphQL list, or the path and the query string of the REST list, such as `/project/projects?pageSize=100`
 * @throws GatewayError for a response with an error, too, and if a next page has no cursor, or an earlier page's cursor:
 *   the list would never end, or not be whole
 */
export async function* pages<Item>(
  fetchGateway: typeof fetch,
  list: GraphqlList<Item> | string,
): AsyncGenerator<readonly Item[], void> {
  const cursors = new Set<string>(['']);
  for (let after = ''; ; ) {
    const isRest = typeof list === 'string';
    const response = isRest
      ? await fetchGateway(after ? `${list}${list.includes('?') ? '&' : '?'}pageToken=${after}` : list)
      : await fetchGateway('/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            query: list.query,
            variables: { ...list.variables, after: after || undefined },
          }),
        });
    const text = await response.text();
    const problem = problemOf(response, text, true);
    if (problem) throw new GatewayError(`The list was refused: ${problem.reason}.`, problem, 'no');
    const body = parse(text);
    const { nodes, pageInfo } = isRest ? restPage(body) : list.connection(body.data);
    after = pageInfo.endCursor ?? '';
    // A query that does not select it says nothing about the end.
    const isLast = pageInfo.hasNextPage === false;
    if (!isLast && cursors.has(after))
      throw new GatewayError(
        'The next page cannot be read: use `$after`, and select `hasNextPage` and `endCursor`.',
        { reason: 'CURSOR_REPEATED' },
        'no',
      );
    cursors.add(after);
    yield nodes;
    if (isLast) return;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the gateway.
function restPage({ projects: nodes, nextPageToken }: any) {
  return { nodes, pageInfo: { hasNextPage: Boolean(nextPageToken), endCursor: nextPageToken } };
}
