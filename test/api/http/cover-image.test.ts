import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bothApis, send } from '../../support/both-apis.ts';
import { seedTenant, testGateway, useGateway } from '../../support/gateway.ts';
import { resultOf, ULID } from '../../support/requests.ts';

const HEADERS = {
  'content-type': 'image/svg+xml',
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
};

const gateway = useGateway();

// No project has the ULID.
const urlOf = (ulid: string) => `${gateway.url}/covers/${ulid}.svg`;

test.each(bothApis(() => gateway.url))(
  'the images of the projects that $name lists are served without a token, and have the CIDs of the projects',
  async (api) => {
    const { token } = await seedTenant(gateway, { projects: 3 });
    const { projects } = await resultOf(api.listProjects(token));
    expect(projects).toHaveLength(3);
    for (const { imageCoverUrl, imageCoverCid } of projects) {
      const { headers, bytes } = await download(imageCoverUrl);
      expect(cidOf(bytes)).toBe(imageCoverCid);
      expect(Object.fromEntries(headers)).toMatchObject(HEADERS);
      expect(headers.get('content-length')).toBe(String(bytes.length));
      expect(headers.get('set-cookie')).toBeNull();
      // Whether a project exists is not visible.
      const missing = await download(urlOf(ULID));
      expect([...missing.headers.keys()]).toEqual([...headers.keys()]);
      expect(Object.fromEntries(missing.headers)).toMatchObject(HEADERS);
    }
  },
);

test.each([
  { HOST: 'LOCALHOST' },
  { PUBLIC_URL: 'HTTPS://Paw.Example:443/a b/%7e/' },
  { PUBLIC_URL: 'http://bücher.example:80/"/../ü' },
])('both APIs give the same URL of an image, each time, with %o', async (settings) => {
  const own = await testGateway(settings);
  const { token } = await seedTenant(own, { projects: 2 });
  const [graphql, rest] = bothApis(() => own.url).map((api) => async () => {
    const { projects } = await resultOf(api.listProjects(token));
    return projects.map(({ imageCoverUrl }) => imageCoverUrl);
  });
  const urls = await rest?.();
  expect(urls).toEqual(urls?.map((url) => new URL(url).href));
  // The third execution is that of a compiled query.
  for (let n = 0; n < 3; n += 1) expect(await graphql?.()).toEqual(urls);
});

describe('a cover image', () => {
  // Clients store an image and its CID permanently, so this digest must never change.
  test('has the same bytes in every version, without scripts and references, for every shape and colour', async () => {
    const ulids = Array.from({ length: 100 }, (_, n) => ULID.slice(0, 24) + String(n).padStart(2, '0'));
    const images = await Promise.all(ulids.map((ulid) => download(urlOf(ulid))));
    const all = Buffer.concat(images.map(({ bytes }) => bytes));
    const colours = new Set(all.toString().match(/#[0-9a-f]{6}(?=")/g));
    // All shapes and colors, so that a change of any of them fails the test.
    expect(colours.size).toBe(20);
    expect(all.toString()).not.toMatch(
      /<(script|foreignObject|style|a|use|image|animate|set)\b|\s(on\w+|[\w:]*href)=/i,
    );
    expect(digestOf(all)).toBe('ac80db923d2444907648c29afee51e102693c9047a5b88d91f07dd9547239a96');
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
    expect(JSON.parse(text).error.details[0].reason).toBe('PATH_NOT_FOUND');
  });
});

async function download(url: string) {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return { headers: response.headers, bytes: await response.bytes() };
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
