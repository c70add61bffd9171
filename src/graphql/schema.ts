import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, printSchema } from 'graphql';
import type { Context } from './context.ts';
import { mutations } from './mutations.ts';
import { queries } from './queries.ts';
import { types } from './types.ts';

const FOLDER = new URL('../../schema/', import.meta.url);

/**
 * Builds the executable schema from the contract in `schema/` and the resolvers. Its scalars have no implementation: the
 * operations validate their values, so that both APIs return the same error messages.
 */
export function createSchema(): GraphQLSchema {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));
  return makeExecutableSchema<Context>({
    typeDefs: files.map((file) => readFileSync(new URL(file, FOLDER), 'utf8')),
    resolvers: { Query: queries, Mutation: mutations, ...types },
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** Returns the whole contract as one document, which is served and published. */
export function schemaDocument(schema: GraphQLSchema): string {
  return `${printSchema(schema)}\n`;
}
