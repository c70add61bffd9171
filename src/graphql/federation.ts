import { GraphQLObjectType, GraphQLSchema, printSchema } from 'graphql';
import { resourceNameValidator, ValidationError, type Validator } from '../model/fields/fields.ts';
import { isJsonObject } from '../model/fields/json.ts';
import type { ResourceName } from '../model/resource-name.ts';
import type { GraphqlContext } from './context.ts';
import { loadNamed, type SentName } from './resolvers/named-resources.ts';
import { types } from './resolvers/types.ts';
import { MAX_ITEMS } from './rules/document-cost.ts';

// The gateway as a subgraph. Source: Apollo Federation, subgraph specification.

/** The part of the schema that every subgraph has. */
export const FEDERATION_TYPES = `
extend type Query {
  "The contract of the gateway as a subgraph. Like introspection, it needs no token."
  _service: _Service!

  """
  The entities with these keys, in the order of the representations, at most ${MAX_ITEMS.representations}.
  An entity that does not exist, or that the token has no access to, is null. A malformed representation is
  null, too, with an error at its index; if more than 20 are malformed, the whole list fails.
  """
  _entities("Objects with \`__typename\` and \`id\`." representations: [_Any!]!): [_Entity]!
}

"The contract of a subgraph."
type _Service {
  "The document from which a supergraph is composed."
  sdl: String!
}

"A representation of an entity: its \`__typename\` and its key."
scalar _Any

"A type that other subgraphs can refer to by its key."
union _Entity = App | Project | Wallet
`;

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key", "@shareable"])';

/**
 * The fields that a supergraph does not get. Other Relay subgraphs have fields and types of the same names, with which
 * composition fails, and only one subgraph can serve \`node\`.
 */
const LEFT_OUT = new Set([
  'node',
  'nodes',
  'viewer',
  'tokens',
  'events',
  'signOut',
  'createToken',
  'revokeToken',
]);

const KEYS = new Map<string, Validator<ResourceName>>([
  ['App', resourceNameValidator('apps')],
  ['Project', resourceNameValidator('projects')],
  ['Wallet', resourceNameValidator('wallets')],
]);

export function federationResolvers(contract: GraphQLSchema) {
  const service = { sdl: subgraphDocument(contract) };
  return {
    Query: {
      _service: () => service,
      _entities: (
        _parent: unknown,
        args: { readonly representations: readonly unknown[] },
        context: GraphqlContext,
      ) => loadNamed('representations', args.representations, keyOf, context),
    },
    _Entity: types.Node,
  };
}

/** Returns the document from which a supergraph is composed. Types that only the fields left out use are left out, too. */
function subgraphDocument(contract: GraphQLSchema): string {
  const [query, mutation] = [contract.getQueryType(), contract.getMutationType()].map((type) => {
    if (type == null) throw new Error('The contract has no queries or no mutations.');
    const { fields, ...others } = type.toConfig();
    const kept = Object.entries(fields).filter(([name]) => !LEFT_OUT.has(name));
    return new GraphQLObjectType({ ...others, fields: Object.fromEntries(kept) });
  });
  const text = printSchema(new GraphQLSchema({ query, mutation }))
    .replace(/^type (App|Project|Wallet) implements Node /gm, '$&@key(fields: "id") ')
    .replace(/^type PageInfo /m, '$&@shareable ');
  return `${LINK}\n\n${text}\n`;
}

/** Returns the key of an entity, with the validator of its type. */
function keyOf(representation: unknown, path: string): SentName {
  const { __typename: type, id } = isJsonObject(representation) ? representation : {};
  const validator = typeof type === 'string' ? KEYS.get(type) : undefined;
  return validator
    ? { field: `${path}.id`, value: id, validator }
    : { field: `${path}.__typename`, value: type, validator: rejectType };
}

function rejectType(): never {
  throw new ValidationError(`Must be one of ${[...KEYS.keys()].join(', ')}.`);
}
