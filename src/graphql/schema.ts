import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { FastifyInstance } from 'fastify';
import { type GraphQLScalarType, type GraphQLSchema, isScalarType, printSchema } from 'graphql';
import { GraphQLDateTime, GraphQLURL } from 'graphql-scalars';
import type { GraphqlContext } from './context.ts';
import { FEDERATION_TYPES, federationResolvers } from './federation.ts';
import { mutations } from './resolvers/mutations.ts';
import { queries } from './resolvers/queries.ts';
import { types } from './resolvers/types.ts';

const FOLDER = new URL('../../schema/', import.meta.url);

/** Builds the executable schema from the contract in `schema/` and the resolvers. */
export function createSchema(federation = false): GraphQLSchema {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));
  const typeDefs = files.map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));
  const schema = makeExecutableSchema<GraphqlContext>({
    typeDefs: federation ? [...typeDefs, FEDERATION_TYPES] : typeDefs,
    resolvers: [
      { Query: queries, Mutation: mutations, ...types },
      ...(federation ? [federationResolvers(createSchema())] : []),
    ],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  // ResourceName and Address have no implementation here: the operation validates them, so that
  // both APIs return the same error messages.
  implementScalar(schema, GraphQLDateTime);
  implementScalar(schema, GraphQLURL);
  // Times in responses are created by the gateway and are always valid. Parsing them again costs time.
  Object.assign(scalarOf(schema, GraphQLDateTime.name), { serialize: (value: unknown) => value });
  return schema;
}

/** Adds the route of the schema document. Like introspection, it needs no token. */
export function addSchemaDocument(app: FastifyInstance, schema: GraphQLSchema): void {
  const document = schemaDocument(schema);
  app.get('/schema.graphql', async (_request, reply) => {
    // GraphQL schemas have no registered media type. Browsers display this one.
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .header('access-control-allow-origin', '*');
    return document;
  });
}

export function schemaDocument(schema: GraphQLSchema): string {
  return `${printSchema(schema)}\n`;
}

/** Gives a scalar of the contract the implementation of a library. Its description in the contract is kept. */
function implementScalar(
  schema: GraphQLSchema,
  { name, serialize, parseValue, parseLiteral }: GraphQLScalarType,
): void {
  Object.assign(scalarOf(schema, name), { serialize, parseValue, parseLiteral });
}

function scalarOf(schema: GraphQLSchema, name: string): GraphQLScalarType {
  const type = schema.getType(name);
  if (!isScalarType(type)) throw new Error(`The contract has no scalar ${name}.`);
  return type;
}
