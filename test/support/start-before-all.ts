import { beforeAll } from 'vitest';

/**
 * Starts several things before the tests of a file. They end in reverse order, after the tests, or at once if one of them
 * does not start.
 *
 * @param start adds the end of each thing to the stack as soon as it has started
 */
export function startBeforeAll(start: (opening: AsyncDisposableStack) => Promise<void>): void {
  beforeAll(async () => {
    await using opening = new AsyncDisposableStack();
    await start(opening);
    const open = opening.move();
    return () => open.disposeAsync();
  });
}
