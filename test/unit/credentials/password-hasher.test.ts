import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { argon2Sync } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { PasswordHasher } from '../../../src/credentials/password-hasher.ts';

const PASSWORD = 'correct horse battery staple 123';
const ACCOUNT = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

test.each([
  ['ASCII', PASSWORD],
  ['characters beyond ASCII', 'пароль🔑'.padEnd(32, 'ü')],
])('a password of %s is hashed by Argon2id with the parameters of OWASP', async (_, password) => {
  const [, salt = '', tag] = PHC.exec(await new PasswordHasher().hash(password, ACCOUNT)) ?? [];
  const nonce = Buffer.from(salt, 'base64');
  const parameters = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
  const derived = argon2Sync('argon2id', { message: password, nonce, ...parameters });
  expect(derived.toString('base64')).toBe(`${tag}=`);
});

test('at most two passwords are hashed at once, in the order of the requests, each with another salt', async () => {
  const request = new AsyncLocalStorage<number>();
  const starts: (number | undefined)[] = [];
  const running = new Set<number>();
  let maxRunning = 0;
  const hook = createHook({
    init(id, type) {
      if (type !== 'ARGON2REQUEST') return;
      starts.push(request.getStore());
      running.add(id);
      maxRunning = Math.max(maxRunning, running.size);
    },
    before(id) {
      running.delete(id);
    },
  }).enable();
  onTestFinished(() => {
    hook.disable();
  });
  const hasher = new PasswordHasher();
  const order = [0, 1, 2, 3];
  const hashes = await Promise.all(
    order.map((index) => request.run(index, () => hasher.hash(PASSWORD, ACCOUNT))),
  );
  expect(starts).toEqual(order);
  expect(maxRunning).toBe(2);
  expect(new Set(hashes.map((hash) => PHC.exec(hash)?.[1])).size).toBe(order.length);
});
