import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../model/errors.ts';
import { coverImagePath } from '../../model/project.ts';
import { parseUlid, resourceName } from '../../model/resource-name.ts';

/**
 * Adds the route of the cover images of projects. It needs no token, so an `<img>` can load
 * them. An image depends only on the name, and every name has one: a response does not show
 * whether the project exists.
 */
export function addCoverImages(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>('/covers/:file', async ({ params: { file } }, reply) => {
    const id = parseUlid(file.replace(/\.svg$/, ''));
    const project = id && resourceName('projects', id);
    // Each image has only one path, so caches store one copy.
    if (project === undefined || coverImagePath(project) !== `/covers/${file}`) {
      throw new ApiError('PATH_NOT_FOUND');
    }
    reply
      .type('image/svg+xml')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('access-control-allow-origin', '*');
    // Imported on demand: the server starts faster without it.
    const { coverImage } = await import('../../model/cover-image.ts');
    return coverImage(project);
  });
}
