import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Expressions that read as translated, and what to write instead. At least 15 of 20 hits of each, chosen at random, were
 * worth rewriting. A space is also the end of a line, in a paragraph or a comment.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b[Bb]eside\b/, 'next to; alongside; in addition to; while … is running'],
  [/\bof (its|their|our|your|one's) own\b/, 'its own …; a separate …'],
  [/\b[Bb]y (GraphQL|REST|OAuth|HTTPS?|NTP|plain|kubectl|`(paw|npm|kubectl|curl) )/, 'with, through, over'],
  [/\bin place of\b|\b(take[sn]?|took|taking)( the| its| their)? place\b/, 'instead of; replace'],
  [
    /(?<!\b(says?|knows?|knew|shows?|sees?|tells?|decides?|about|learns?|is|matter|explains?|reports?) )\b([Ww]hat|[Ww]hatever|[Ww]hoever) (it|one|they|you|the|a|can|must|only|each|has|was|is|are|were|had|somebody|goes|not|could|remains|stays)\b(?![^.|]*\?)/,
    'the thing itself: deleted data, the reason, anyone who',
  ],
  [
    /\bmay only\b|\b(it|token|they|page) may[,:.;]|\bwhat (a|the|your)? ?(token|it) may\b|\bmay read\b/,
    'is read-only; can',
  ],
  [
    /\b(tokens?|keys?|session|secret|one|it|they)( [a-z]+)? (has|have) ended\b|\b(end|ends|ended) (the|a|this|all|any|its|each) ([a-z]+ )?(tokens?|keys?|one|oldest)\b|\b(tokens?|keys?|old one|older one) ends?\b|\bends? (for ever|at once)\b/,
    'expire (by time); revoke (by somebody); exit (a process)',
  ],
  [
    /\b(tokens?|principal|caller|which) (sees?|does not see|can see|cannot see|may see)\b|\bthat it sees\b|\bvisible to the token\b/,
    'has access to',
  ],
  [/\b[Aa] further\b|\b[Ff]urther (ones|elements|requests|tokens|statements)\b/, 'another, more, additional'],
  [
    /(?<!\b(is|are|was|has) )\b[Aa]lso (with|by|if|in|of|after|for|when|while|on|behind|below|as|without|during|from|to|through|those|one|that)\b/,
    'including; even if; as well as',
  ],
  [/, so that\b/, ', so'],
  [/\]\([^)]*\) (has|have|tells?|says?)\b/, 'see …; … lists, describes, contains'],
  [
    /\b(token|key|update|backup|account|index)s? (is|was|are|were|be|been) made\b|\bma(ke|kes|de|king) (a|an|the|new|one|another|no) ?(new |old |last )?(key|token|account|certificate|update)\b/,
    'create, apply, issue',
  ],
  [
    /\b[Rr]epetitions?\b|\b[Rr]epeat(s|ed|ing)? (lost|the|a|their|its|requests?|update|sign-in|safely)\b|\b(request|query|it|command) (is|can be|are) repeated\b/,
    'retry (a client); replay (a server); rerun (a command)',
  ],
  [/\b[Ss]omebody\b|\b[Nn]obody\b|\b(the|each|every) person\b/, 'someone, no one, you, the user'],
  [
    /\b(that|those) of (the|a|an|this|its|each|another|others|all|one|`|\[|[A-Z]|other|programs?|your|someone|requests)/,
    'the noun again, or a possessive',
  ],
  [
    /\bat once\b|\bfor ever\b|\b(it|they|made|serve|changed?|ended|continue|them) meanwhile\b|\bby (then|now)\b|\b(not|available) in time\b/,
    'immediately; permanently; within the timeout',
  ],
  [/\bgo(es)? on\b/, 'continue'],
  [
    /\b(errors?|responses?|fields?|mutations?|queries|lists?|requests?|variables?|manifest|documents?|metadata|librar(y|ies)|clients?|statuses|header|host|clock|node|driver|URL|workflow|program|form|token|scope|events|names?|disk|file|log|API) of (GraphQL|REST|OAuth|npm|Node|PostgreSQL|SQLite|Citus|Apollo|libpq|Prometheus|Kubernetes|Relay|systemd|V8|Arazzo)\b/,
    'GraphQL errors, the SQLite file',
  ],
  [
    /(?<!\b[Tt]here )\b(is|are|was|were) no (?!longer|more|such|\d)[a-z]+|(?<=[.;:] )So (are|is|do|does)\b|\bNeither (do|does|has|is|are)\b/,
    'is not a …; subject before verb',
  ],
  [
    /\b[Ll]ooks? (whether|once)\b|\b[Tt]o begin with\b|\bbeginnings?\b|\b(was|were|not) tried\b|\b(right|wrong) (key|token|password)\b/,
    'check; start; tested; correct, incorrect',
  ],
];

const LINE_BREAK = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:(?:\*|//)[ \t])?)`;

const EXPRESSIONS = PATTERNS.map(
  ([{ source }, instead]) => [new RegExp(source.replaceAll(' ', LINE_BREAK), 'g'), instead] as const,
);

/** The texts of the project: its documents, the descriptions of its schema, and its code with comments. */
const FILES = {
  documents: ['{README,CONTRIBUTING,SECURITY}.md', 'docs/*.{md,txt}', 'deploy/README.md'],
  code: ['schema/*.{graphql,yaml}', 'src/**/*.{ts,js}', 'console/**/*.{ts,tsx,graphql}'],
};

/** An expression in a file, as `<file>:<line>: <expression>; write …`. */
export type ProseHit = string;

/** Returns the expressions in the documents or in the code that read as translated. Code in Markdown does not count. */
export function proseHits(kind: keyof typeof FILES): readonly ProseHit[] {
  const files = globSync(FILES[kind], { cwd: ROOT, exclude: ['**/generated/**', '**/node_modules/**'] });
  return files.toSorted().flatMap((file) => {
    const code = /^ *```.*?^ *```$/gms;
    const text = readFileSync(join(ROOT, file), 'utf8').replace(code, (block) => block.replace(/[^\n]/g, ''));
    return EXPRESSIONS.flatMap(([expression, instead]) =>
      [...text.matchAll(expression)].map(({ 0: found, index }) => {
        const line = text.slice(0, index).split('\n').length;
        return `${file}:${line}: ${found.replace(/\s+/g, ' ')}; write ${instead}`;
      }),
    );
  });
}
