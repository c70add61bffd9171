import { useRef } from 'preact/hooks';
import type { TypedDocumentString } from './generated-documents.ts';
import { forgetKept } from './kept.ts';
import { newIdempotencyKey, RequestError, request } from './request.ts';

/**
 * Returns the function that sends a mutation, with one idempotency key for the open form: if an answer is lost, the same
 * request gets it again, and another one is refused, so that no form creates two apps or two keys.
 *
 * @param isUpdate the mutation can be executed with several inputs, the last of which counts: each has its own key
 */
export function useMutation<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  isUpdate = false,
) {
  const last = useRef({ text: '', idempotencyKey: newIdempotencyKey() });
  return async (variables: Variables): Promise<Data> => {
    const text = isUpdate ? JSON.stringify(variables) : '';
    if (last.current.text !== text) last.current = { text, idempotencyKey: newIdempotencyKey() };
    try {
      const data = await request(document, variables, last.current);
      forgetKept();
      return data;
    } catch (error) {
      if (!(error instanceof RequestError) || error.reason !== 'IDEMPOTENCY_KEY_REUSED') throw error;
      const message =
        'It was done with what you entered before. Enter that again to see the result, or close the form.';
      throw new RequestError(message, error);
    }
  };
}
