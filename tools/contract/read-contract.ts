import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';

const FOLDER = `${import.meta.dirname}/../../schema`;

/** Reads the contract of GraphQL, without the resolvers. */
export function readContract(): GraphQLSchema {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));
  return buildSchema(files.map((file) => readFileSync(`${FOLDER}/${file}`, 'utf8')).join('\n'));
}
