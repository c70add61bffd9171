import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { Field, Path, Run } from './complete.ts';
import { argumentReader } from './input-values.ts';

/** Makes the information on a field that some resolvers take. */
export type InfoOf = (run: Run, path: Path) => GraphQLResolveInfo;

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** Returns a field of an object, or one that every object or query has. */
export function definitionOf(
  schema: GraphQLSchema,
  parentType: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  const ofQueries = [SchemaMetaFieldDef, TypeMetaFieldDef].find((each) => each.name === name);
  const definition =
    parentType === schema.getQueryType() && ofQueries ? ofQueries : parentType.getFields()[name];
  if (definition === undefined) throw new Error(`A valid document selects ${name}, which is not there.`);
  return definition;
}

/** Makes the function that calls a field's resolver with its arguments. */
export function resolverOf(
  resolve: Resolver,
  node: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  infoOf: InfoOf,
): Field['resolve'] {
  if (resolve === defaultFieldResolver && definition.args.length === 0) {
    const { name } = definition;
    return (source) => (source as Readonly<Record<string, unknown>> | undefined)?.[name];
  }
  const readArguments = argumentReader(definition, node);
  const withInfo = wantsInfo(resolve);
  return (source, run, path) => {
    const values = readArguments(run.variables);
    return withInfo
      ? resolve(source, values, run.context, infoOf(run, path))
      : (resolve as (...few: readonly unknown[]) => unknown)(source, values, run.context);
  };
}

/** Whether a resolver takes the information on its field, which has to be made for each call. */
export function wantsInfo(resolve: Resolver): boolean {
  return resolve !== defaultFieldResolver && resolve.length > 3;
}

export function infoMaker(always: Omit<GraphQLResolveInfo, 'path' | 'rootValue' | 'variableValues'>): InfoOf {
  return (run, path) => ({ ...always, path, rootValue: undefined, variableValues: { ...run.variables } });
}

export function noInfo(): never {
  throw new Error('A resolver asks for information that it does not declare to take.');
}
