import { expect } from 'vitest';
import type { Face, Outcome } from '../faces.ts';

/** Expects that a face has refused the input for these fields, in its own words. */
export function expectInvalid(
  face: Face,
  { error, response }: Outcome<unknown>,
  fields: readonly string[],
): void {
  expect(error).toMatchObject({ status: 'INVALID_ARGUMENT', fields });
  expect(codeOf(face, response.text)).toBe(face.name === 'REST' ? 400 : 'BAD_USER_INPUT');
  expect(response.status).toBe(face.name === 'REST' ? 400 : 200);
}

/** The code of an error: a number of HTTP in REST, Apollo's word in GraphQL. */
export function codeOf({ name }: Face, text: string): unknown {
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
