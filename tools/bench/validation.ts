import { type DocumentNode, parse, specifiedRules, validate } from 'graphql';
import { limitDocument, MAX_DOCUMENT_TOKENS } from '../../src/graphql/limits/limits.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { SHAPES, type Shape } from './documents.ts';

// No document of this size has few enough tokens.
const MAX_SIZE = 2000;

const BATCHES = 5;
const TIMES = 20;

const schema = createSchema();
const limits = limitDocument(() => true);

/** Measures the largest document of each shape that the limits admit. Returns a sentence about the slowest one. */
export function measureValidation(): string {
  const measured = Object.entries(SHAPES).map(([name, shape]) => ({
    name,
    ms: validationMs(shape(largestSize(shape))),
  }));
  const [slowest] = measured.toSorted((a, b) => b.ms - a.ms);
  return `Parsing and validating the largest documents of ${measured.length} shapes takes up to ${slowest?.ms.toFixed(1)} ms of processor time (${slowest?.name}; at most 5 ms).`;
}

/** Returns the size of the largest document of a shape that is admitted. */
export function largestSize(shape: Shape, isAdmitted: (source: string) => boolean = isValid): number {
  let admitted = 1;
  let refused = MAX_SIZE;
  while (refused - admitted > 1) {
    const size = Math.floor((admitted + refused) / 2);
    if (isAdmitted(shape(size))) admitted = size;
    else refused = size;
  }
  return admitted;
}

function isValid(source: string): boolean {
  const document = parsed(source);
  return document !== undefined && validate(schema, document, [limits]).length === 0;
}

/** Returns whether a document has few enough tokens. */
export function isParsed(source: string): boolean {
  return parsed(source) !== undefined;
}

function parsed(source: string): DocumentNode | undefined {
  try {
    return parse(source, { maxTokens: MAX_DOCUMENT_TOKENS });
  } catch {
    return undefined;
  }
}

/** Returns the least processor time of several batches, because other processes disturb the caches of the processor. */
function validationMs(source: string): number {
  const batches = Array.from({ length: BATCHES }, () => {
    const before = process.threadCpuUsage();
    for (let n = 0; n < TIMES; n += 1) {
      validate(schema, parse(source), [...specifiedRules, limits], { maxErrors: 20 });
    }
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000 / TIMES;
  });
  return Math.min(...batches);
}
