import type { Options } from 'minisearch';

/** A section of the documentation: its address below `/docs/`, its title, and the title of its page. */
export type Section = {
  readonly id: string;
  readonly title: string;
  readonly page: string;
};

/** A section with its text, for the index. */
export type IndexedSection = Section & { readonly text: string };

// The words of questions and sentences that no section is about.
const STOP_WORDS = new Set(
  'an and are as at be but by can do does for from has have how if in is it its my not of on one or so that the there this to what when where which with you your'.split(
    ' ',
  ),
);

/** What the index is made with, and read with. */
export const SEARCH_OPTIONS: Options<IndexedSection> = {
  fields: ['title', 'text'],
  storeFields: ['title', 'page'],
  processTerm: (text) => {
    const term = text.toLowerCase();
    return term.length > 1 && !STOP_WORDS.has(term) && term;
  },
};
