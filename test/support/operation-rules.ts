import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Rules } from '../../src/data/call/call.ts';

type Operation = { readonly name: string; readonly rules: Rules };

const DATA = join(import.meta.dirname, '../../src/data');

const files = globSync('{,apps/,projects/,wallets/,tokens/,events/,lists/}*.ts', { cwd: DATA });

const modules: object[] = await Promise.all(files.map((file) => import(join(DATA, file))));

/** The operations of the data layer: its functions with rules. */
export const OPERATIONS = modules
  .flatMap(Object.values)
  .filter((each): each is Operation => typeof each === 'function' && 'rules' in each);

/** The rules of all operations, by their names. */
export const RULES: Readonly<Record<string, Rules>> = Object.fromEntries(
  OPERATIONS.map(({ name, rules }) => [name, rules]),
);

export function rulesOf(operation: string): Rules {
  const rules = RULES[operation];
  if (rules === undefined) throw new Error(`There is no operation ${operation}.`);
  return rules;
}
