import { createHash } from 'node:crypto';
import { createAvatar } from '@dicebear/core';
import * as shapes from '@dicebear/shapes';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import * as digest from 'multiformats/hashes/digest';
import { sha256 } from 'multiformats/hashes/sha2';
import type { ResourceName } from './resource-name.ts';

const GROUND = [
  '0b132b',
  '1b3a4b',
  '2d1e4f',
  '3a0ca3',
  '14532d',
  '7f1d1d',
  'fef3c7',
  'e0f2fe',
  'fae8ff',
  'ecfccb',
];
const FIGURE = [
  'f97316',
  'facc15',
  '22c55e',
  '06b6d4',
  '3b82f6',
  '8b5cf6',
  'ec4899',
  'f43f5e',
  '14b8a6',
  'f5f5f4',
];

/**
 * The cover image of a project: an SVG document that depends on the project's
 * name alone and never changes, since clients keep it, and its CID, for good.
 */
export function coverImage(project: ResourceName<'projects'>): string {
  return createAvatar(shapes, {
    seed: project,
    backgroundColor: GROUND,
    shape1Color: FIGURE,
    shape2Color: FIGURE,
    shape3Color: FIGURE,
  }).toString();
}

/** The CIDv1 (raw codec, SHA-256, base 32) of a cover image. Source: IPFS, CID specification. */
export function coverImageCid(svg: string): string {
  const hash = createHash('sha256').update(svg).digest();
  return CID.createV1(raw.code, digest.create(sha256.code, hash)).toString();
}
