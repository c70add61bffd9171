/** The sections of the documentation, and which of them answer a query. */
import MiniSearch, { type SearchResult } from 'minisearch';

/** A section: its address below `/docs/`, its title, the title of its page, other words for its heading, and its text. */
export type Section = Readonly<Record<'id' | 'title' | 'page' | 'also' | 'text', string>>;

/** A section that was found, and the terms of the index that it was found by. */
export type Found = Section & { readonly terms: readonly string[] };

/** A part of a text, and whether it is a word of the query. */
export type Part = { readonly text: string; readonly isWord: boolean };

// The words of questions and sentences that no section is about.
const STOP_WORDS = new Set(
  'a am an and are as at be but by can could do does for from get has have how i if into is it its me my no not of on or so that the their there they this to use using want was what when where which who why will with would you your'.split(
    ' ',
  ),
);

const BOOST = { title: 6, also: 5, page: 1, text: 1 };
// How much more a section counts whose heading is the query and nothing else.
const EXACT = 1.6;
// The power of the share of words that a section has: one with half of them counts a sixteenth.
const SHARE_POWER = 4;

const MIN_PREFIX = 3;
const MIN_MISSPELLED = 5;
const NEAR_PAGES = 3;

// The parts of a line, every second of which is a word, and at most how many of them are before a word of the query.
const LINE = 56;
const LEAD = 8;

/** Returns the words of a text. The parts of a name such as `createToken` are words. */
function wordsOf(text: string): string[] {
  const words = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return words.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns the common part of the forms of a word: "migrate", "migrated" and "migrations" are "migr". */
function stemOf(word: string): string {
  return word
    .replace(/(?<![sui])s$/, '')
    .replace(/(?<=.{4})ment$/, '')
    .replace(/(?<=...)(?:at)?(?:ed|e|ing|ion|ly|y|ie)$/, '')
    .replace(/(.)\1$/, '$1');
}

/** Returns the words of a text that a section can be about. */
function keywordsOf(text: string): string[] {
  return wordsOf(text).filter((word) => !STOP_WORDS.has(word));
}

/** Returns the forms by which a word is found. The form that was typed counts in addition to the stem. */
function formsOf(word: string): string[] {
  return [...new Set([word, stemOf(word)])];
}

function phraseOf(text: string): string {
  return keywordsOf(text).map(stemOf).join(' ');
}

const BOTH_WORDS = { combineWith: 'AND', tokenize: wordsOf, processTerm: stemOf } as const;

/** Returns a search in sections. `near` returns the first sections of pages for a query that finds nothing. */
export function createSearch(sections: readonly Section[]) {
  const index = new MiniSearch<Section>({
    fields: Object.keys(BOOST),
    storeFields: Object.keys(BOOST),
    tokenize: keywordsOf,
    processTerm: formsOf,
    searchOptions: { boost: BOOST, weights: { prefix: 0.4, fuzzy: 0.3 } },
  });
  index.addAll(sections);

  function sectionsWith(word: string, isLast: boolean): SearchResult[] {
    const found = index.search(word, { prefix: isLast && word.length >= MIN_PREFIX });
    if (found.length > 0) return found;
    // Two words that were typed as one, or else a word that is misspelled.
    for (let end = MIN_PREFIX; end <= word.length - MIN_PREFIX; end += 1) {
      const halves = `${word.slice(0, end)} ${word.slice(end)}`;
      const both = index.search(halves, BOTH_WORDS);
      if (both.length > 0) return both;
    }
    return index.search(word, { prefix: true, fuzzy: word.length >= MIN_MISSPELLED && 0.25 });
  }

  /** Returns the sections that have all words of a query, or else some, the best first. The last word can be incomplete. */
  function find(query: string): readonly Found[] {
    const words = [...new Set(keywordsOf(query))];
    const phrase = phraseOf(query);
    const hits = words.flatMap((word, position) => {
      const next = words[position + 1] ?? '';
      // One word that was typed as two has both.
      const joined = next === '' ? [] : index.search(word + next);
      return [
        ...sectionsWith(word, next === '').map((hit) => ({ hit, word })),
        ...joined.flatMap((hit) => [word, next].map((each) => ({ hit, word: each }))),
      ];
    });
    return [...Map.groupBy(hits, ({ hit }) => hit.id).values()]
      .map((of) => {
        const section = of[0]?.hit as SearchResult & Section;
        const weight = (new Set(of.map(({ word }) => word)).size / words.length) ** SHARE_POWER;
        const headings = [section.title.split(' › ').at(-1) ?? '', ...section.also.split(',')];
        const exact = headings.some((heading) => phraseOf(heading) === phrase) ? EXACT : 1;
        const sum = of.reduce((score, { hit }) => score + hit.score, 0);
        return { ...section, terms: of.flatMap(({ hit }) => hit.terms), score: sum * weight * exact };
      })
      .sort((a, b) => b.score - a.score);
  }

  function near(query: string): readonly Found[] {
    const fuzzy = (word: string) => word.length >= MIN_MISSPELLED && 0.5;
    const like = index.search(query, { fields: ['title', 'also'], prefix: true, fuzzy });
    const pages = new Set([...like, ...sections].map(({ id }) => String(id).replace(/#.*/, '')));
    return [...pages]
      .slice(0, NEAR_PAGES)
      .flatMap((page) =>
        sections.filter(({ id }) => id === page).map((section) => ({ ...section, terms: [] })),
      );
  }

  return { find, near };
}

/** Returns the parts of a text: its words, each after what separates it from the one before. */
export function partsOf(text: string, { terms }: Found): readonly Part[] {
  return text.split(/([\p{L}\p{N}]+)/u).map((part) => ({
    text: part,
    isWord: keywordsOf(part).some((word) => formsOf(word).some((form) => terms.includes(form))),
  }));
}

/** Returns the line of a section's text that has the most of the words of the query. */
export function lineOf(found: Found): readonly Part[] {
  const parts = partsOf(found.text, found);
  const countFrom = (start: number) =>
    new Set(
      parts.slice(start, start + LINE - LEAD).flatMap(({ text, isWord }) => (isWord ? phraseOf(text) : [])),
    ).size;
  const counts = parts.map(({ isWord }, start) => (isWord ? countFrom(start) : 0));
  const first = counts.indexOf(Math.max(...counts));
  const begin = first > LEAD ? first - LEAD : 0;
  return [{ text: begin > 0 ? '… ' : '', isWord: false }, ...parts.slice(begin, begin + LINE)];
}
