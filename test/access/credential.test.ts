import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { argon2Sync, createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type CredentialKind,
  createCredential,
  equalHashes,
  hashCredential,
  parseCredential,
} from '../../src/credentials/credential.ts';
import { passwordHasher } from '../../src/credentials/password-hasher.ts';
import { ApiError } from '../../src/model/api-error.ts';
import { idGenerator } from '../../src/model/resource-name.ts';

const KINDS: readonly CredentialKind[] = ['acct', 'app', 'key'];

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

const PASSWORD = 'correct horse battery staple 123';

const newId = idGenerator(Date.now);

describe.each(KINDS)('a credential of kind %s', (kind) => {
  const [ownerId, serial] = [newId(), newId()];
  const credential = createCredential(kind, ownerId, serial);

  it('has its prefix, the two ids, 256 bits and a checksum', () => {
    expect(credential).toMatch(new RegExp(`^paw_${kind}_${ownerId}${serial}_[0-9a-f]{64}[0-9a-f]{8}$`));
  });

  it('needs no escaping in a header, a URL or a shell', () => {
    expect(credential).toMatch(/^\w+$/);
  });

  it('comes apart into what it was made from', () => {
    expect(parseCredential(credential)).toEqual({ kind, ownerId, serial });
  });

  it('is never made twice, nor its secret', () => {
    const made = Array.from({ length: 1000 }, () => createCredential(kind, ownerId, serial));
    expect(new Set(made).size).toBe(1000);
    expect(new Set(made.map((each) => each.slice(-72, -8))).size).toBe(1000);
  });

  it('is refused after any change of one character', () => {
    const accepted = [...credential].flatMap((character, index) => {
      const [before, after] = [credential.slice(0, index), credential.slice(index + 1)];
      const replaced = PRINTABLE.filter((other) => other !== character).map(
        (other) => before + other + after,
      );
      const inserted = PRINTABLE.map((other) => before + other + character + after);
      return [...replaced, ...inserted, before + after].filter((text) => parseCredential(text) !== undefined);
    });
    expect(accepted).toEqual([]);
  });

  it('is refused after any two neighbours trade places', () => {
    const traded = [...credential].map(
      (character, index) =>
        credential.slice(0, index) + (credential[index + 1] ?? '') + character + credential.slice(index + 2),
    );
    const changed = traded.filter((text) => text !== credential);
    expect(changed.length).toBeGreaterThan(100);
    expect(changed.filter((text) => parseCredential(text) !== undefined)).toEqual([]);
  });

  it.each([
    ['nothing', () => ''],
    ['its ids in lower case', () => credential.replace(ownerId, ownerId.toLowerCase())],
    ['a line break at its end', () => `${credential}\n`],
    ['a space before it', () => ` ${credential}`],
    ['itself twice', () => credential + credential],
    ['its checksum alone left out', () => credential.slice(0, -8)],
    [
      'the checksum of another',
      () => credential.slice(0, -8) + createCredential(kind, ownerId, serial).slice(-8),
    ],
    ['the prefix of another kind', () => credential.replace(`_${kind}_`, kind === 'key' ? '_app_' : '_key_')],
  ])('is not to be had from %s', (_what, text) => {
    expect(parseCredential(text())).toBeUndefined();
  });
});

describe('the hash of a credential', () => {
  it('is its SHA-256 in hexadecimal digits', () => {
    const credential = createCredential('app', newId(), newId());
    expect(hashCredential(credential)).toBe(createHash('sha256').update(credential).digest('hex'));
    expect(hashCredential('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('equals itself, and none that differs in one digit or in its length', () => {
    const hash = hashCredential('abc');
    expect(equalHashes(hash, hashCredential('abc'))).toBe(true);
    expect(equalHashes('', '')).toBe(true);
    const others = [...hash].map(
      (digit, index) => hash.slice(0, index) + (digit === '0' ? '1' : '0') + hash.slice(index + 1),
    );
    for (const other of [...others, hash.slice(1), `${hash}0`, '', hash.toUpperCase()]) {
      expect(equalHashes(hash, other)).toBe(false);
      expect(equalHashes(other, hash)).toBe(false);
    }
  });
});

describe("the hash of a wallet's password", () => {
  it.each([
    ['of ASCII', PASSWORD],
    ['of other letters', 'пароль'.padEnd(32, 'ü')],
    ['of emoji', '🔑'.repeat(32)],
  ])('%s is Argon2id in the PHC format, by the cost that OWASP names first', async (_what, password) => {
    const phc = await passwordHasher(0).hash(password);
    const [, salt = '', tag = ''] =
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/.exec(phc) ?? [];
    const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
    const derive = (message: string) =>
      argon2Sync('argon2id', { message, nonce: Buffer.from(salt, 'base64'), ...cost });
    expect(derive(password)).toEqual(Buffer.from(tag, 'base64'));
    expect(derive(`${password.slice(0, -1)}?`)).not.toEqual(Buffer.from(tag, 'base64'));
  });

  it('is another each time, by a salt of its own', async () => {
    const hasher = passwordHasher(0);
    const salt = async () => (await hasher.hash(PASSWORD)).split('$')[4];
    expect(await salt()).not.toBe(await salt());
  });

  it('is made two at once and no more, in the order of asking', async () => {
    const asking = new AsyncLocalStorage<number>();
    const starts: (number | undefined)[] = [];
    const running = new Set<number>();
    let mostAtOnce = 0;
    const hook = createHook({
      init(id, type) {
        if (type !== 'ARGON2REQUEST') return;
        starts.push(asking.getStore());
        running.add(id);
        mostAtOnce = Math.max(mostAtOnce, running.size);
      },
      before(id) {
        running.delete(id);
      },
    }).enable();
    onTestFinished(() => {
      hook.disable();
    });
    const hasher = passwordHasher(10);
    const order = Array.from({ length: 8 }, (_, index) => index);
    await Promise.all(order.map((index) => asking.run(index, () => hasher.hash(PASSWORD))));
    expect(starts).toEqual(order);
    expect(mostAtOnce).toBe(2);
  });

  it.each([
    ['none may wait', 0],
    ['one may wait', 1],
    ['three may wait', 3],
  ])(
    'is refused at once beyond the queue, where %s, and made again once there is room',
    async (_what, queue) => {
      const hasher = passwordHasher(queue);
      const ask = () => hasher.hash(PASSWORD).catch((error: unknown) => error);
      for (const _round of ['first', 'second']) {
        const accepted = Array.from({ length: 2 + queue }, ask);
        const refused = await Promise.all([ask(), ask()]);
        expect(refused).toEqual([expect.any(ApiError), expect.any(ApiError)]);
        expect(refused).toMatchObject(refused.map(() => ({ status: 'RESOURCE_EXHAUSTED' })));
        expect(await Promise.all(accepted)).toEqual(
          accepted.map(() => expect.stringMatching(/^\$argon2id\$/)),
        );
      }
    },
  );
});
