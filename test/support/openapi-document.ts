/** The parts of the OpenAPI document that the tests read. */
export type OpenApiDocument = {
  readonly info: { readonly version: string };
  readonly servers: readonly unknown[];
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly headers: Readonly<
      Record<string, { readonly required?: boolean; readonly schema: SchemaObject }>
    >;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
};

type OperationObject = {
  readonly operationId: string;
  readonly parameters: readonly (Ref | ParameterObject)[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: SchemaObject } };
  };
  /** By HTTP status, or `default`. */
  readonly responses: Readonly<Record<string, Ref | ResponseObject>>;
};

type Ref = { readonly $ref: string };

type ParameterObject = {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: SchemaObject;
};

type ResponseObject = {
  /** Of an error: the reasons. */
  readonly description: string;
  readonly headers: Readonly<Record<string, Ref>>;
  readonly content: { readonly 'application/json': { readonly schema: Ref } };
};

/** An inline schema of an object or of one value. */
export type SchemaObject = {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly [keyword: string]: unknown;
};

/** One operation, with its place in the document. */
export type Operation = OperationObject & { readonly path: string; readonly method: string };

/** A value that a request may have. A dot in its name separates an object from its field. */
export type RequestField = {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly schema: SchemaObject;
  readonly required: boolean;
};

/** All operations, in document order. */
export function operationsOf({ paths }: OpenApiDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );
}

/** The response of an operation that has an HTTP status. */
export function responseOf(
  { components }: OpenApiDocument,
  { operationId, responses }: Operation,
  status: number,
): ResponseObject {
  const response = responses[status] ?? responses['default'];
  const resolved =
    response && '$ref' in response ? components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
  if (resolved === undefined) throw new Error(`${operationId} has no documented response ${status}.`);
  return resolved;
}

/** The reasons of errors that the document names. */
export function reasonsIn({ components }: OpenApiDocument): readonly string[] {
  const texts = Object.values(components.responses).map(({ description }) => description);
  return texts.flatMap((text) => [...text.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, reason = '']) => reason));
}

/** The values that a request of an operation may have, except for the headers. */
export function fieldsOf(operation: Operation): readonly RequestField[] {
  const parameters = operation.parameters
    .filter((parameter) => 'name' in parameter)
    .map(({ in: place, required = false, ...parameter }) => ({ ...parameter, required, place }));
  const fields = objectsOf(operation).flatMap(({ within, schema: { properties = {}, required = [] } }) =>
    Object.entries(properties)
      .filter(([, schema]) => schema.properties === undefined)
      .map(([name, schema]) => ({
        name: within + name,
        place: 'body' as const,
        schema,
        required: required.includes(name),
      })),
  );
  return [...parameters, ...fields];
}

/** The objects in a request body, with the prefix of their field names. */
export function objectsOf({ requestBody }: Operation) {
  const inside = (within: string, schema: SchemaObject): { within: string; schema: SchemaObject }[] => {
    if (schema.properties === undefined) return [];
    const nested = Object.entries(schema.properties);
    return [{ within, schema }, ...nested.flatMap(([name, each]) => inside(`${within}${name}.`, each))];
  };
  return requestBody ? inside('', requestBody.content['application/json'].schema) : [];
}
