import { expect } from 'vitest';
import type { Api, Outcome } from './apis.ts';

/** Expects that an API has refused the input for these fields, in its own words. */
export function expectInvalid(
  api: Api,
  { error, response }: Outcome<unknown>,
  fields: readonly string[],
): void {
  expect(error).toMatchObject({ status: 'INVALID_ARGUMENT', fields });
  expect(codeOf(api, response.text)).toBe(api.name === 'REST' ? 400 : 'BAD_USER_INPUT');
  expect(response.status).toBe(api.name === 'REST' ? 400 : 200);
}

/** The code of an error: a number of HTTP in REST, Apollo's word in GraphQL. */
export function codeOf({ name }: Api, text: string): unknown {
  const answer = JSON.parse(text);
  return name === 'REST' ? answer.error.code : answer.errors[0].extensions.code;
}

/** All of an answer that is not about the one request. */
export function anonymous({ error, response: { status, headers, text } }: Outcome<unknown>) {
  const own = ['date', 'x-request-id', 'content-length'];
  return {
    status,
    headers: [...headers].filter(([name]) => !own.includes(name)),
    text: text.replaceAll(error?.requestId ?? '', ''),
  };
}
