import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { bothApis, type ProjectFields, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway } from '../support/gateway.ts';

// No project in any test has this id.
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

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

  test('differs from those of other projects', async () => {
    const projects = await seedProjects(10);
    const images = await Promise.all(projects.map(({ imageCoverUrl }) => download(imageCoverUrl)));
    expect(new Set(images.map(({ bytes }) => cidOf(bytes))).size).toBe(10);
    expect(new Set(projects.map(({ imageCoverCid }) => imageCoverCid)).size).toBe(10);
    expect(new Set(projects.map(({ imageCoverUrl }) => imageCoverUrl)).size).toBe(10);
  });

  test('has the same bytes on every request', async () => {
    const [project] = await seedProjects(1);
    const url = project?.imageCoverUrl ?? '';
    const { bytes } = await download(url);
    for (const again of [await download(url), await download(url)]) expect(again.bytes).toEqual(bytes);
  });

  test('is well-formed XML without scripts and references', async () => {
    const projects = await seedProjects(10);
    expect(projects).toHaveLength(10);
    for (const { imageCoverUrl } of projects) {
      const { bytes } = await download(imageCoverUrl);
      const { root, attributes, elements } = readXml(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      expect([root, attributes.get('xmlns')]).toEqual(['svg', ['http://www.w3.org/2000/svg']]);
      expect(elements).toContain('path');
      for (const active of ['script', 'foreignObject', 'style', 'a', 'use', 'image', 'animate', 'set']) {
        expect(elements).not.toContain(active);
      }
      const names = [...attributes.keys()];
      expect(names.filter((name) => /^on|(^|:)(href|src|style|base)$/i.test(name))).toEqual([]);
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

  test('has the same bytes in every version, for every shape and colour', async () => {
    const ulids = Array.from({ length: 100 }, (_, n) => ULID.slice(0, 24) + String(n).padStart(2, '0'));
    const images = await Promise.all(ulids.map((ulid) => download(`${gateway.url}/covers/${ulid}.svg`)));
    const all = Buffer.concat(images.map(({ bytes }) => bytes));
    const colours = new Set(all.toString().match(/#[0-9a-f]{6}(?=")/g));
    // All shapes and colors, so that a change of any of them fails the test.
    expect(colours.size).toBe(20);
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

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is 405 for %s', async (method) => {
    const { status, headers } = await send(`${gateway.url}/covers/${ULID}.svg`, method);
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test.each([
    '',
    '/',
    '/.svg',
    '/x.svg',
    `/${ULID}`,
    `/${ULID}.`,
    `/${ULID}.png`,
    `/${ULID}.SVG`,
    `/${ULID}.svg.svg`,
    `/${ULID}.svgz`,
    `/${ULID}svg`,
    `/${ULID}.svg%00`,
    `/${ULID}.svg%20`,
    `/${ULID}.svg/`,
    `/${ULID}.svg/x`,
    `/${ULID.toLowerCase()}.svg`,
    `/${ULID.slice(0, 25)}v.svg`,
    `/${ULID.slice(1)}.svg`,
    `/${ULID}0.svg`,
    `/8${ULID.slice(1)}.svg`,
    ...['I', 'L', 'O', 'U', '%C3%A9', '%C5%BF'].map((letter) => `/${ULID.slice(0, 25)}${letter}.svg`),
    `/projects/${ULID}.svg`,
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

/**
 * Parses the elements and attributes of an XML document, and throws if it is not
 * well-formed. It supports tags, text, the five predefined entities and character
 * references. Declarations and comments are not allowed in a cover image.
 */
function readXml(text: string) {
  const elements: string[] = [];
  const attributes = new Map<string, string[]>();
  const open: string[] = [];
  let roots = 0;
  const NAME = '[A-Za-z_][\\w.:-]*';
  const VALUE = '(?:[^<&"]|&(?:amp|lt|gt|quot|apos|#\\d+|#x[0-9a-fA-F]+);)*';
  const token = new RegExp(
    `<(/?)(${NAME})((?:\\s+${NAME}="${VALUE}")*)\\s*(/?)>|(${VALUE.replace('"', '')})`,
    'y',
  );
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const [all = '', closing, name = '', list = '', empty, content] = token.exec(text) ?? [];
    if (all === '') throw new Error(`Not well-formed at ${at}: ${text.slice(at, at + 40)}`);
    if (content !== undefined) {
      if (open.length === 0 && content.trim() !== '') throw new Error('Text outside the root element.');
    } else if (closing) {
      if (list || empty || open.pop() !== name) throw new Error(`A stray end tag at ${at}: ${all}`);
    } else {
      if (open.length === 0) roots += 1;
      elements.push(name);
      const own = [...list.matchAll(new RegExp(`(${NAME})="(${VALUE})"`, 'g'))];
      if (new Set(own.map(([, key]) => key)).size < own.length) throw new Error(`An attribute twice: ${all}`);
      for (const [, key = '', value = ''] of own)
        attributes.set(key, [...(attributes.get(key) ?? []), value]);
      if (!empty) open.push(name);
    }
  }
  if (open.length > 0 || roots !== 1) throw new Error('Not one root element, closed.');
  return { root: elements[0], elements, attributes };
}
