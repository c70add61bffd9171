import type { FastifyInstance } from 'fastify';
import { coverImagePath } from '../model/project.ts';
import { parseUlid, resourceName } from '../model/resource-name.ts';
import { pathNotFound } from './http-error.ts';

/**
 * Adds the cover images of projects. They need no token, so that they work in an
 * `<img>`, and are made from the name alone: that a name has an image says nothing
 * about whether there is such a project.
 */
export function addCovers(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>('/covers/:file', async ({ params: { file } }, reply) => {
    const id = parseUlid(file.replace(/\.svg$/, ''));
    const project = id && resourceName('projects', id);
    // One path for each image, so that caches keep one copy.
    if (project === undefined || coverImagePath(project) !== `/covers/${file}`) throw pathNotFound();
    reply
      .type('image/svg+xml')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('access-control-allow-origin', '*');
    // Loaded with the first image, since a start is faster without it.
    const { coverImage } = await import('../model/cover-image.ts');
    return coverImage(project);
  });
}
