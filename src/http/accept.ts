import Negotiator from 'negotiator';

const UTF_8 = /\s*;\s*charset="?utf-8"?/gi;

/** Returns those of `mediaTypes` that the header `Accept` allows, the preferred one first. */
export function acceptedMediaTypes(accept: string, mediaTypes: readonly string[]): readonly string[] {
  // Every response is in UTF-8, so that this parameter of a media type excludes none.
  return new Negotiator({ headers: { accept: accept.replace(UTF_8, '') } }).mediaTypes(mediaTypes);
}

/** Returns whether a client prefers HTML to each of `mediaTypes`, as browsers do. */
export function prefersHtml(accept: string | undefined, mediaTypes: readonly string[]): boolean {
  return Boolean(accept) && acceptedMediaTypes(accept ?? '', [...mediaTypes, 'text/html'])[0] === 'text/html';
}
