import { useRef } from 'preact/hooks';
import type { TypedDocumentString } from './generated-documents.ts';
import { newIdempotencyKey, request } from './request.ts';

/**
 * Returns the function that sends a mutation. The same variables, sent again, have the same idempotency key: if the
 * answer was lost, the gateway gives it again. Other variables have another key, because the gateway refuses them with
 * the first one.
 */
export function useMutation<Data, Variables>(document: TypedDocumentString<Data, Variables>) {
  const last = useRef({ text: '', idempotencyKey: '' });
  return (variables: Variables): Promise<Data> => {
    const text = JSON.stringify(variables);
    if (last.current.text !== text) last.current = { text, idempotencyKey: newIdempotencyKey() };
    return request(document, variables, { idempotencyKey: last.current.idempotencyKey });
  };
}
