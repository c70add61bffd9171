import { readFileSync } from 'node:fs';
import { buildSchema, findBreakingChanges } from 'graphql';
import { readContract } from './contract.ts';

const published = buildSchema(readFileSync(`${import.meta.dirname}/published/paw.graphql`, 'utf8'));

for (const { description } of findBreakingChanges(published, readContract())) {
  console.error(`Breaking change: ${description}`);
  process.exitCode = 1;
}
