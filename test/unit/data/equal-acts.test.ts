import { expect, test } from 'vitest';
import { findEventOfAct, hashOfAct, rememberEventOfAct } from '../../../src/data/audit/equal-acts.ts';
import { idGenerator, type Ulid } from '../../../src/model/resource-name.ts';

const newId = idGenerator(Date.now);

const find = (act: string) => findEventOfAct(hashOfAct(act));

const remember = (act: string, id: Ulid) => rememberEventOfAct(hashOfAct(act), id);

test('equal acts have the event that was remembered first, and others their own', () => {
  const [first, second] = [newId(), newId()];
  expect(find('a')).toBeUndefined();
  remember('a', first);
  remember('b', second);
  remember('a', newId());
  expect([find('a'), find('b'), find('c')]).toEqual([first, second, undefined]);
});

test('an act whose place another one has taken gets an event of its own', () => {
  remember('taken', newId());
  // More acts than places.
  for (let n = 0; n < 120_000; n += 1) remember(String(n), newId());
  expect(find('taken')).toBeUndefined();
  const last = newId();
  remember('taken', last);
  expect(find('taken')).toBe(last);
});
