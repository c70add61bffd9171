import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bothApis, type ProjectFields, send } from '../support/apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';

// No project in any test has this id.
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const gateway = useGateway();

describe.each(bothApis(() => gateway.url))('the cover image of a project listed by $name', (api) => {
  async function seedProjects(projects: number): Promise<readonly ProjectFields[]> {
    const { token } = await seedTenant(gateway, { projects });
    return (await api.listProjects(token)).value?.projects ?? [];
  }

  test('is served at its URL as an SVG without a token, and may be cached', async () => {
    const [project] = await seedProjects(1);
    const { status, headers, bytes } = await download(project?.imageCoverUrl ?? '');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-length')).toBe(String(bytes.length));
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('has the CID of the project', async () => {
    const projects = await seedProjects(3);
    expect(projects).toHaveLength(3);
    for (const { imageCoverUrl, imageCoverCid } of projects) {
      expect(cidOf((await download(imageCoverUrl)).bytes)).toBe(imageCoverCid);
    }
  });
});

describe('a cover image', () => {
  // Clients store an image and its CID permanently, so these digests must never change.
  test('has the same bytes in every version', async () => {
    const { bytes } = await download(`${gateway.url}/covers/${ULID}.svg`);
    expect(digestOf(bytes)).toBe('08b96fdeac739f8e14dce18275a9a387e430e6abd09f8ce870b1f5c7f481f20f');
    expect(cidOf(bytes)).toBe('bafkreiaixfx55ldtt6hbjxhbqj22ti4h4qyonk6qt6goq4fr6xd7japsb4');
  });

  test('has the same bytes in every version, without scripts and references, for every shape and colour', async () => {
    const ulids = Array.from({ length: 100 }, (_, n) => ULID.slice(0, 24) + String(n).padStart(2, '0'));
    const images = await Promise.all(ulids.map((ulid) => download(`${gateway.url}/covers/${ulid}.svg`)));
    const all = Buffer.concat(images.map(({ bytes }) => bytes));
    const colours = new Set(all.toString().match(/#[0-9a-f]{6}(?=")/g));
    // All shapes and colors, so that a change of any of them fails the test.
    expect(colours.size).toBe(20);
    expect(all.toString()).not.toMatch(
      /<(script|foreignObject|style|a|use|image|animate|set)\b|\s(on\w+|[\w:]*href)=/i,
    );
    expect(digestOf(all)).toBe('ac80db923d2444907648c29afee51e102693c9047a5b88d91f07dd9547239a96');
  });

  test('exists whether or not the project exists', async () => {
    const { projects } = await seedTenant(gateway);
    const there = await download(`${gateway.url}/covers/${projects[0]?.slice('projects/'.length)}.svg`);
    const missing = await download(`${gateway.url}/covers/${ULID}.svg`);
    expect([there.status, missing.status]).toEqual([200, 200]);
    expect([...missing.headers.keys()]).toEqual([...there.headers.keys()]);
    for (const name of ['content-type', 'cache-control']) {
      expect(missing.headers.get(name)).toBe(there.headers.get(name));
    }
  });

  test('has the same headers for HEAD', async () => {
    const url = `${gateway.url}/covers/${ULID}.svg`;
    const [got, head] = [await send(url, 'GET'), await send(url, 'HEAD')];
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
    }
  });

  test.each([
    '',
    '/.svg',
    `/${ULID}`,
    `/${ULID}.SVG`,
    `/${ULID}.svg.svg`,
    `/${ULID}.svg%00`,
    `/${ULID}.svg/`,
    `/${ULID.toLowerCase()}.svg`,
    `/${ULID.slice(0, 25)}v.svg`,
    `/${ULID.slice(1)}.svg`,
    `/${ULID}0.svg`,
    `/8${ULID.slice(1)}.svg`,
    ...['I', '%C5%BF'].map((letter) => `/${ULID.slice(0, 25)}${letter}.svg`),
    `/projects%2F${ULID}.svg`,
    `/${'0'.repeat(260)}.svg`,
  ])('does not exist at /covers%s', async (path) => {
    const { status, headers, text } = await send(`${gateway.url}/covers${path}`, 'GET');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    // If the error were cached like an image, it would remain after the path becomes valid.
    expect(headers.get('cache-control')).toBe('no-store');
    const { code, status: name, details } = JSON.parse(text).error;
    expect([code, name, details[0].reason]).toEqual([404, 'NOT_FOUND', 'PATH_NOT_FOUND']);
  });
});

async function download(url: string) {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, bytes: await response.bytes() };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The CIDv1 of raw bytes, from the definitions: 1, raw (0x55), SHA-256 (0x12), 32 (0x20), digest. */
function cidOf(bytes: Uint8Array): string {
  const cid = Buffer.concat([Buffer.from([0x01, 0x55, 0x12, 0x20]), Buffer.from(digestOf(bytes), 'hex')]);
  const bits = [...cid].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{1,5}/g) ?? []).map((five) => Number.parseInt(five.padEnd(5, '0'), 2));
  return `b${letters.map((letter) => 'abcdefghijklmnopqrstuvwxyz234567'.charAt(letter)).join('')}`;
}
