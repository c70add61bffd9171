import {
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { LruCache } from '../../model/lru-cache.ts';
import { fieldCompiler } from './compile-fields.ts';
import {
  completeInTurn,
  type Field,
  type Outcome,
  objectCompleter,
  outcomeOf,
  type Run,
} from './complete.ts';
import { type Values, variableReader } from './input-values.ts';
import { fragmentsOf, switchesOf } from './select-fields.ts';

/** An operation that is ready to be executed, as often as wanted. */
export type CompiledOperation = {
  /**
   * Executes it, as `execute` of graphql-js does.
   *
   * @param sent the variables as the client sent them
   * @returns undefined if they do not fit, in which case nothing has been executed
   */
  run(context: unknown, sent: Values): Outcome | Promise<Outcome> | undefined;
};

type Program = (run: Run) => object | Promise<object>;

// Of what is skipped and included, few cases come up, but a client could make up many.
const MOST_PROGRAMS = 16;

/**
 * Compiles an operation of a valid document into functions that make its answer.
 * What graphql-js finds out for each request, and for each item of a list, is found
 * out once: which fields there are, how each is resolved, and how its value becomes
 * JSON. What an answer holds, and the order of its errors, is as with graphql-js.
 * Source: GraphQL specification, section 6.
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledOperation {
  const { operation: kind, variableDefinitions = [] } = operation;
  const root = schema.getRootType(kind);
  if (root == null) throw new Error(`The schema has no ${kind}s.`);
  const readVariables = variableReader(schema, variableDefinitions);
  const switches = switchesOf(document);
  const isFixed = switches.length === 0;
  const compileFields = fieldCompiler(schema, root, { operation, fragments: fragmentsOf(document) }, isFixed);
  const programs = new LruCache<Program>(MOST_PROGRAMS);
  let onlyProgram: Program | undefined;

  return {
    run(context, sent) {
      const variables = readVariables(sent);
      if (variables === undefined) return undefined;
      const run: Run = { context, variables, errors: [], nulled: new Set() };
      return outcomeOf(run, () => programFor(variables)(run));
    },
  };

  /** What is skipped or included is settled beforehand: there is one program for each case that comes up. */
  function programFor(variables: Values): Program {
    if (isFixed) {
      onlyProgram ??= programOf(compileFields({}));
      return onlyProgram;
    }
    const situation = switches.map((name) => String(variables[name])).join();
    let program = programs.get(situation);
    if (program === undefined) {
      const given = switches.filter((name) => Object.hasOwn(variables, name));
      program = programOf(compileFields(Object.fromEntries(given.map((name) => [name, variables[name]]))));
      programs.set(situation, program, 1);
    }
    return program;
  }

  function programOf(fields: readonly Field[]): Program {
    if (kind === OperationTypeNode.MUTATION) return (run) => completeInTurn(fields, run);
    const completeRoot = objectCompleter(fields);
    return (run) => completeRoot(undefined, run, undefined);
  }
}
