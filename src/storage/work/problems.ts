/** The results of a check: one line for each of the first problems of a kind, and the number of all. */
export type Problems = { readonly lines: readonly string[]; readonly count: number };

export const MAX_DESCRIBED = 100;

export const NO_PROBLEMS: Problems = { lines: [], count: 0 };

/** Returns the problems of one kind. @param count the number of all; `descriptions` are the first of them */
export function problemsOfKind(descriptions: readonly string[], count = descriptions.length): Problems {
  const lines = descriptions.slice(0, MAX_DESCRIBED);
  if (count > lines.length) lines.push(`There are ${count - lines.length} more problems of this kind.`);
  return { lines, count };
}

/** Returns the problems of one kind, keeping only the first in memory. */
export async function collectProblems(found: AsyncIterable<string>): Promise<Problems> {
  const descriptions: string[] = [];
  let count = 0;
  for await (const description of found) {
    count += 1;
    if (count <= MAX_DESCRIBED) descriptions.push(description);
  }
  return problemsOfKind(descriptions, count);
}

export function allProblems(kinds: readonly Problems[]): Problems {
  return {
    lines: kinds.flatMap(({ lines }) => lines),
    count: kinds.reduce((sum, { count }) => sum + count, 0),
  };
}
