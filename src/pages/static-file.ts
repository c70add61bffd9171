import { readFile, stat } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import { requestMemory } from '../http/limits/request-memory.ts';

/**
 * Reads a file for the response to a request, after its memory was counted. A client needs no token for a file.
 *
 * @param bytesPerByte the memory that the response takes until it is sent, per byte of the file
 * @throws UNAVAILABLE if the memory is not available
 */
export async function readStaticFile(
  request: FastifyRequest,
  file: URL,
  bytesPerByte: number,
): Promise<Buffer> {
  const { size } = await stat(file);
  reserveMemory(request, bytesPerByte * size);
  return readFile(file);
}

/** Counts memory that a response is about to take. @throws UNAVAILABLE if it is not available */
export function reserveMemory(request: FastifyRequest, bytes: number): void {
  const refusal = requestMemory(request).reserve(bytes);
  if (refusal !== undefined) throw refusal;
}
