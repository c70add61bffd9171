import { beforeEach, describe, expect, test } from 'vitest';
import { hostSelection } from '../../../../src/storage/postgres/hosts.ts';

const HOSTS = ['h1', 'h2', 'h3'].map((name) => ({ name, url: `postgres://${name}` }));

type Host = (typeof HOSTS)[number];

const host = (index: number): Host => HOSTS[index] ?? expect.unreachable();

let now = 0;

beforeEach(() => {
  now = 1000;
});

describe('in order', () => {
  const select = () => hostSelection({ hosts: HOSTS, isBalanced: false }, () => now);

  test('the first host is used until it fails, and then the next one until that fails', () => {
    const hosts = select();
    const used: string[] = [];
    for (let failures = 0; failures < 5; failures += 1) {
      for (let times = 0; times < 2; times += 1) used.push(hosts.next().name);
      now += 100_000;
      hosts.failed(hosts.next());
    }
    expect(used.join(' ')).toBe('h1 h1 h2 h2 h3 h3 h1 h1 h2 h2');
  });

  test('a host is the last one if all others have failed recently', () => {
    const hosts = select();
    hosts.failed(host(0));
    expect(hosts.isLast(host(1))).toBe(false);
    hosts.failed(host(2));
    expect(hosts.isLast(host(1))).toBe(true);
    now += 10_000;
    expect(hosts.isLast(host(1))).toBe(false);
  });
});

describe('balanced', () => {
  const NUMBERS = [0, 0.4, 0.99];

  function select() {
    let calls = 0;
    return hostSelection(
      { hosts: HOSTS, isBalanced: true },
      () => now,
      () => NUMBERS[calls++ % 3] ?? 0,
    );
  }

  const names = (hosts: ReturnType<typeof select>) => NUMBERS.map(() => hosts.next().name);

  test('each host is used', () => {
    expect(names(select())).toEqual(['h1', 'h2', 'h3']);
  });

  test('a host that has failed is avoided for a while', () => {
    const hosts = select();
    hosts.failed(host(0));
    expect(names(hosts)).toEqual(['h2', 'h2', 'h3']);
    now += 10_000;
    expect(names(hosts)).toEqual(['h1', 'h2', 'h3']);
  });

  test('the one that failed first is used if all have failed', () => {
    const hosts = select();
    for (const index of [1, 0, 2]) {
      now += 1;
      hosts.failed(host(index));
    }
    expect(names(hosts)).toEqual(['h2', 'h2', 'h2']);
  });
});
