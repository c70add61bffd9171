import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** An account address: `0x` and 40 hexadecimal digits, with the mixed-case checksum of EIP-55. */
export type Address = `0x${string}`;

/** The zero address, which belongs to no one: coins sent to it are lost. */
export const ZERO_ADDRESS: Address = `0x${'0'.repeat(40)}`;

/**
 * Returns an address with its EIP-55 checksum, or undefined if the address is malformed
 * or its checksum is wrong. Digits that are all lower case or all upper case have no
 * checksum and are accepted. Source: EIP-55.
 */
export function parseAddress(text: string): Address | undefined {
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const checksummed = addChecksum(digits.toLowerCase());
  const hasNoChecksum = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return hasNoChecksum || checksummed === digits ? `0x${checksummed}` : undefined;
}

function addChecksum(digits: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  return digits.replace(/[a-f]/g, (letter, index: number) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? letter.toUpperCase() : letter,
  );
}
