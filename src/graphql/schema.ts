import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { FastifyInstance } from 'fastify';
import { type GraphQLScalarType, type GraphQLSchema, printSchema } from 'graphql';
import { GraphQLDateTime, GraphQLURL } from 'graphql-scalars';
import { sendDocument } from '../http/server/public-document.ts';
import type { GraphqlContext } from './context.ts';
import { FEDERATION_TYPES, federationResolvers } from './federation.ts';
import { mutations } from './resolvers/mutations.ts';
import { queries } from './resolvers/queries.ts';
import { types } from './resolvers/types.ts';

const FOLDER = new URL('../../schema/', import.meta.url);

// ResourceName and Address have no implementation: the operation validates them, so both APIs return the same error
// messages. The descriptions come from the contract.
const SCALARS = {
  DateTime: coercionsOf(GraphQLDateTime),
  URL: coercionsOf(GraphQLURL),
};

/** Builds the executable schema from the contract in `schema/` and the resolvers. */
export function createSchema(federation = false): GraphQLSchema {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));
  const typeDefs = files.map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));
  return makeExecutableSchema<GraphqlContext>({
    typeDefs: federation ? [...typeDefs, FEDERATION_TYPES] : typeDefs,
    resolvers: [
      { Query: queries, Mutation: mutations, ...types, ...SCALARS },
      ...(federation ? [federationResolvers(createSchema())] : []),
    ],
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** Adds the route of the schema document. Like introspection, it needs no token. */
export function addSchemaDocument(app: FastifyInstance, schema: GraphQLSchema): void {
  const document = schemaDocument(schema);
  // GraphQL schemas have no registered media type. Browsers display this one.
  app.get('/schema.graphql', async (_, reply) => sendDocument(reply, 'text/plain; charset=utf-8', document));
}

export function schemaDocument(schema: GraphQLSchema): string {
  return `${printSchema(schema)}\n`;
}

function coercionsOf({ parseValue, parseLiteral }: GraphQLScalarType) {
  // Values in responses are created by the gateway and are always valid. Parsing them again costs time.
  return { serialize: (value: unknown) => value, parseValue, parseLiteral };
}
