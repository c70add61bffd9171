import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** An account address: `0x` and 40 hexadecimal digits in the mixed-case checksum of EIP-55. */
export type Address = `0x${string}`;

/**
 * Takes an address and returns it with its checksum, or undefined if it is
 * malformed or its checksum is wrong. An address all in lower or all in upper
 * case carries no checksum and is taken as it is. Source: EIP-55.
 */
export function parseAddress(text: string): Address | undefined {
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const checked = withChecksum(digits.toLowerCase());
  const bare = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return bare || checked === digits ? `0x${checked}` : undefined;
}

function withChecksum(digits: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  return digits.replace(/[a-f]/g, (letter, at: number) =>
    Number.parseInt(hash.charAt(at), 16) >= 8 ? letter.toUpperCase() : letter,
  );
}
