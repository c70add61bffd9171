import {
  type Case,
  fill,
  type HttpRequest,
  NONCE,
  positionsOf,
  replaced,
  VALID_HEADERS,
  withNonce,
} from './hostile-requests.ts';

/**
 * Requests whose content is another one each time: valid ones, and those with a long text in the path, in each header that
 * is read, in each position of the body, and as the name of an operation.
 */
export function* variedCases(request: HttpRequest, read: readonly string[]): Generator<Case> {
  const { method, path, headers, body } = request;
  const route = `${method} ${path.split('?')[0]}`;
  const long = (max: number) => NONCE + fill('x', max);
  const search = `${path}${path.includes('?') ? '&' : '?'}a=${long(10_000)}`;
  const withHeader = (name: string): HttpRequest => {
    const valid = headers[name] ?? VALID_HEADERS[name] ?? '';
    return { ...request, headers: { ...headers, [name]: valid + long(10_000) } };
  };
  const variants: Readonly<Record<string, HttpRequest>> = {
    '': request,
    ', long query': { ...request, path: search },
    ...Object.fromEntries(read.map((name) => [`, long ${name}`, withHeader(name)])),
    ...(body?.startsWith('{') && longBodies(request, body)),
  };
  for (const [label, hostile] of Object.entries(variants)) {
    yield { name: `${route}${label}`, requestOf: (nonce) => withNonce(hostile, nonce), times: 1 };
  }
}

function longBodies(request: HttpRequest, body: string): Readonly<Record<string, HttpRequest>> {
  const long = `${NONCE}${fill('x', 45_000)}`;
  const parsed: unknown = JSON.parse(body);
  const bodies = {
    ...Object.fromEntries(positionsOf(parsed).map((path) => [path.join('.'), replaced(parsed, path, long)])),
    ...(request.path === '/graphql' && {
      'name of an operation': { query: `query ${long}{__typename}`, operationName: long },
      alias: { query: `{a${long}:__typename}` },
      comment: { query: `{__typename}#${long}` },
      'name of an introspection': { query: `query ${long}{__schema{queryType{name}}}`, operationName: long },
    }),
  };
  return Object.fromEntries(
    Object.entries(bodies).map(([name, each]) => [
      `, long ${name || 'body'}`,
      { ...request, body: JSON.stringify(each) },
    ]),
  );
}
