import { readFileSync } from 'node:fs';
import { buildSchema, findBreakingChanges } from 'graphql';
import { readContract } from './read-contract.ts';

const PUBLISHED = new URL('../../schema/published/paw.graphql', import.meta.url);
const published = buildSchema(readFileSync(PUBLISHED, 'utf8'));

for (const { description } of findBreakingChanges(published, readContract())) {
  console.error(`Breaking change: ${description}`);
  process.exitCode = 1;
}
