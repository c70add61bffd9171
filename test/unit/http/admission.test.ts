import { expect, test } from 'vitest';
import { admission } from '../../../src/http/protection/admission.ts';

/** An admission with a clock that the test advances. */
function scene(maxRequests: number) {
  let now = 0;
  const places = admission(maxRequests, () => now);
  const outcomes: string[] = [];
  return {
    ...places,
    outcomes,
    advance(ms: number) {
      now += ms;
    },
    /** Sends a request, whose outcome is added when it starts or is refused. */
    send(name = 'request') {
      places.enter((error) => {
        outcomes.push(error === undefined ? name : `refused ${name}`);
      });
    },
  };
}

/** Waits for the next turn of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('requests beyond the limit are refused at once, and accepted when a place is free', () => {
  const { send, leave, outcomes } = scene(2);
  for (const name of ['a', 'b', 'c']) send(name);
  leave();
  for (const name of ['d', 'e']) send(name);
  expect(outcomes).toEqual(['a', 'b', 'refused c', 'd', 'refused e']);
});

test('a request that resumes after its body takes a place again, or is refused if none is free', () => {
  const { send, leave, pause, resume, outcomes } = scene(1);
  send('upload');
  pause();
  send('a');
  expect(resume()).toBeInstanceOf(Error);
  leave();
  expect(resume()).toBeUndefined();
  send('b');
  leave();
  send('c');
  expect(outcomes).toEqual(['upload', 'a', 'refused b', 'c']);
});

test('after 3 ms of a turn, requests wait for the next turn, and start in their order', async () => {
  const { send, advance, outcomes } = scene(100);
  send('a');
  advance(3);
  send('b');
  advance(1);
  for (const name of ['c', 'd', 'e']) send(name);
  expect(outcomes).toEqual(['a', 'b']);
  await nextTurn();
  expect(outcomes).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('waiting requests start for a quarter of the time in which requests were read, without that of earlier starts', async () => {
  const { enter, send, advance, outcomes } = scene(100);
  const sendSlow = (names: readonly string[]) => {
    for (const name of names) {
      enter(() => {
        outcomes.push(name);
        advance(4);
      });
    }
  };
  send('first');
  advance(40);
  sendSlow(['a', 'b', 'c', 'd', 'e']);
  await nextTurn();
  expect(outcomes).toEqual(['first', 'a', 'b', 'c']);
  send('f');
  await nextTurn();
  await nextTurn();
  expect(outcomes).toEqual(['first', 'a', 'b', 'c', 'd', 'e', 'f']);
  send('second');
  advance(16);
  sendSlow(['g', 'h', 'i']);
  await nextTurn();
  expect(outcomes.slice(7)).toEqual(['second', 'g', 'h']);
});
