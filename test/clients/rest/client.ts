import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '../../../src/rest/openapi-types.ts';

/** A REST client that has a token. */
export function connect(baseUrl: string, token: string): Client<paths> {
  return createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
}

/** The names of all projects, page by page. */
export async function pagesOf(client: Client<paths>, pageSize?: number): Promise<string[][]> {
  const pages: string[][] = [];
  let pageToken: string | undefined;
  while (pageToken !== '') {
    const query = { ...(pageSize !== undefined && { pageSize }), ...(pageToken && { pageToken }) };
    const { data, error } = await client.GET('/project/projects', { params: { query } });
    if (error) throw new Error(error.error.message);
    pages.push(data.projects.map(({ name }) => name));
    pageToken = data.nextPageToken;
  }
  return pages;
}

/** The parts of an error that a program reads. */
export function faultsIn({ error }: components['schemas']['ErrorResponse']) {
  const [reason] = error.details.flatMap((detail) => ('reason' in detail ? [detail.reason] : []));
  const violations = error.details.flatMap((detail) =>
    detail['@type'] === 'type.googleapis.com/google.rpc.BadRequest' ? detail.fieldViolations : [],
  );
  return { code: error.code, reason, fields: violations.map(({ field }) => field) };
}
