import { readFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import {
  CONFORMANCE_PAGE,
  type Conformance,
  conformancePage,
  PROGRAM_NAMES,
} from '../support/conformance.ts';

const ENGINES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** Writes docs/conformance.md from the results of a run in which all tests have passed. */
export default class PageReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: string): void {
    if (reason !== 'passed') return;
    const results = new Map(PROGRAM_NAMES.map((name) => [name, resultOf(name, modules)]));
    const before = readFileSync(CONFORMANCE_PAGE, 'utf8');
    const page = conformancePage(results);
    if (page === before) return;
    writeFileSync(CONFORMANCE_PAGE, page);
    console.error('docs/conformance.md was out of date. It is written: commit it.');
    process.exitCode = 1;
  }
}

/** Returns the result of a program, which is the same on each engine. */
function resultOf(name: string, modules: readonly TestModule[]): Conformance {
  const counts = new Map<string, number>();
  const tests = modules.flatMap(({ children }) => [...children.allTests()]);
  for (const { program, count, engine } of tests.flatMap((test) => test.meta().conformance ?? [])) {
    if (program === name) counts.set(engine, (counts.get(engine) ?? 0) + count);
  }
  const [count, ...others] = new Set(counts.values());
  if (count === undefined || others.length > 0)
    throw new Error(`${name} has run ${[count, ...others]} times.`);
  const engines = Object.keys(ENGINES).filter((engine) => counts.has(engine));
  return { count, engines: engines.map((engine) => ENGINES[engine]).join(', ') };
}
