import { createHash } from 'node:crypto';
import { createAvatar } from '@dicebear/core';
import * as shapes from '@dicebear/shapes';
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import * as digest from 'multiformats/hashes/digest';
import { sha256 } from 'multiformats/hashes/sha2';
import type { ResourceName } from './resource-name.ts';

const BACKGROUND_COLORS = '0b132b 1b3a4b 2d1e4f 3a0ca3 14532d 7f1d1d fef3c7 e0f2fe fae8ff ecfccb'.split(' ');
const SHAPE_COLORS = 'f97316 facc15 22c55e 06b6d4 3b82f6 8b5cf6 ec4899 f43f5e 14b8a6 f5f5f4'.split(' ');

/**
 * Returns the cover image of a project as an SVG document. The image depends only on the name
 * of the project. It must never change, because clients store its CID and cache it as immutable.
 */
export function coverImage(project: ResourceName<'projects'>): string {
  return createAvatar(shapes, {
    seed: project,
    backgroundColor: BACKGROUND_COLORS,
    shape1Color: SHAPE_COLORS,
    shape2Color: SHAPE_COLORS,
    shape3Color: SHAPE_COLORS,
  }).toString();
}

/** Returns the CIDv1 (raw codec, SHA-256, base32) of a cover image. Source: IPFS, CID specification. */
export function coverImageCid(svg: string): string {
  const hash = createHash('sha256').update(svg).digest();
  return CID.createV1(raw.code, digest.create(sha256.code, hash)).toString();
}
