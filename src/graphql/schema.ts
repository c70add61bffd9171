import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLScalarType, type GraphQLSchema, isScalarType, printSchema } from 'graphql';
import { GraphQLDateTime, GraphQLURL } from 'graphql-scalars';
import type { Context } from './context.ts';
import { mutations } from './mutations.ts';
import { queries } from './queries.ts';
import { types } from './types.ts';

const FOLDER = new URL('../../schema/', import.meta.url);

/** Reads the contract in `schema/` and gives it its resolvers. */
export function createSchema(): GraphQLSchema {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));
  const schema = makeExecutableSchema<Context>({
    typeDefs: files.map((file) => readFileSync(new URL(file, FOLDER), 'utf8')),
    resolvers: {
      Query: queries,
      Mutation: mutations,
      ...types,
    },
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  // ResourceName and Address have no code of their own: what comes in is checked
  // by the operation, so that both APIs refuse it in the same words.
  adoptScalar(schema, GraphQLDateTime);
  adoptScalar(schema, GraphQLURL);
  // The URLs that go out are our own, and need not be parsed again.
  Object.assign(scalarOf(schema, 'URL'), { serialize: (url: unknown) => url });
  return schema;
}

/** The whole contract as one document, which is what is served and published. */
export function schemaDocument(schema: GraphQLSchema): string {
  return `${printSchema(schema)}\n`;
}

/** Takes the code of a library's scalar, and leaves it the words of our contract. */
function adoptScalar(
  schema: GraphQLSchema,
  { name, serialize, parseValue, parseLiteral }: GraphQLScalarType,
): void {
  Object.assign(scalarOf(schema, name), { serialize, parseValue, parseLiteral });
}

function scalarOf(schema: GraphQLSchema, name: string): GraphQLScalarType {
  const type = schema.getType(name);
  if (!isScalarType(type)) throw new Error(`The contract lacks the scalar ${name}.`);
  return type;
}
