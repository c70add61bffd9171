import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { beforeAll } from 'vitest';

/**
 * Notes, while the tests of a file run, what each request was answered from: by its id,
 * `compiled operation` or `memory`. Requests that Apollo Server had a part in are not there.
 */
export function answeredFrom(): ReadonlyMap<string, string> {
  const answers = new Map<string, string>();
  const note = (message: unknown) => {
    const { id, from } = message as { id: string; from: string };
    answers.set(id, from);
  };
  beforeAll(() => {
    subscribe('paw-gateway:answered', note);
    return () => unsubscribe('paw-gateway:answered', note);
  });
  return answers;
}
