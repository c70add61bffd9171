// Documents of many shapes, of which the validation takes time.

/** Returns a document of a shape. A greater size makes a larger document. */
export type Shape = (size: number) => string;

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

const square = (size: number) => Math.ceil(Math.sqrt(size));

const nested = (depth: number, open: string, inner: string) =>
  open.repeat(depth) + inner + ' }'.repeat(depth);

/** The shapes, by name. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'aliases of a field': (n) => `{ projects { nodes { ${times(n, (i) => `a${i}: title`)} } } }`,
  'aliases of an object': (n) => `{ projects { ${times(n, (i) => `a${i}: pageInfo { endCursor }`)} } }`,
  'repeated objects of many fields': (n) =>
    `{ projects { ${times(square(n), () => `nodes { ${times(square(n), (i) => `a${i}: id`)} }`)} } }`,
  'inline fragments of different fields': (n) =>
    `{ projects { ${times(n, (i) => `... { a${i}: totalCount }`)} } }`,
  'fragments of different fields': (n) =>
    `{ viewer { ${times(n, (i) => `...F${i}`)} } } ${times(n, (i) => `fragment F${i} on Viewer { a${i}: name }`)}`,
  'fragments of many fields': (n) =>
    `{ viewer { ${times(square(n), (i) => `...F${i}`)} } } ${times(square(n), (i) => `fragment F${i} on Viewer { ${times(square(n), (j) => `a${i}_${j}: name`)} }`)}`,
  'fragments of the same fields': (n) =>
    `{ projects { nodes { ${times(n, (i) => `...F${i}`)} } } } ${times(n, (i) => `fragment F${i} on Project { id name title description createTime }`)}`,
  'fragments of objects': (n) =>
    `{ viewer { ${times(n, (i) => `...F${i}`)} } } ${times(n, (i) => `fragment F${i} on Viewer { project { id } }`)}`,
  'a chain of fragments': (n) =>
    `{ viewer { ...F0 } } ${times(n, (i) => `fragment F${i} on Viewer { name ...F${i + 1} }`)} fragment F${n} on Viewer { name }`,
  'fragments that spread all later ones': (n) =>
    `{ viewer { ...F0 } } ${times(square(n), (i) => `fragment F${i} on Viewer { name ${times(square(n) - i, (j) => `...F${i + j + 1}`)} }`)} fragment F${square(n)} on Viewer { name }`,
  'fragments that double': (n) =>
    `{ viewer { ...F0 } } ${times(n, (i) => `fragment F${i} on Viewer { ...F${i + 1} ...F${i + 1} }`)} fragment F${n} on Viewer { name }`,
  'fragments that double by aliases': (n) =>
    `{ viewer { project { ...F0 } } } ${times(n, (i) => `fragment F${i} on Project { a: apps { nodes { project { ...F${i + 1} } } } b: apps { nodes { project { ...F${i + 1} } } } }`)} fragment F${n} on Project { name }`,
  'one fragment in many objects': (n) =>
    `{ projects { ${times(n, (i) => `a${i}: pageInfo { ...F }`)} } } fragment F on PageInfo { endCursor }`,
  'fragments in nested inline fragments': (n) =>
    `{ viewer { ${times(n, (i) => `... { ...F${i} }`)} } } ${times(n, (i) => `fragment F${i} on Viewer { name level }`)}`,
  'operations with variables of a fragment': (n) =>
    `${times(n, (i) => `query Q${i}($v: Int) { ...F }`)} fragment F on Query { projects(first: $v) { nodes { ${times(n, (i) => `a${i}: apps(first: $v) { totalCount }`)} } } }`,
  'unused variables': (n) => `query (${times(n, (i) => `$v${i}: Boolean!`)}) { __typename }`,
  'unknown variables': (n) => `{ viewer { ${times(n, (i) => `a${i}: name @skip(if: $v${i})`)} } }`,
  'repeated variables': (n) => `query (${times(n, () => '$v: Boolean!')}) { __typename }`,
  'one variable in many places': (n) =>
    `query ($v: Boolean!) { viewer { ${times(n, (i) => `a${i}: name @skip(if: $v)`)} } }`,
  'repeated list arguments': (n) =>
    `{ ${times(square(n), () => `nodes(ids: [${times(square(n), (i) => `"${i}"`)}]) { id }`)} }`,
  'unknown fields': (n) => `{ viewer { ${times(n, (i) => `nam${i}`)} } }`,
  'unused fragments': (n) => `{ __typename } ${times(n, (i) => `fragment F${i} on Viewer { name }`)}`,
  'nested lists': (n) => `{ nodes(ids: ${'['.repeat(n)}${']'.repeat(n)}) { id } }`,
  'nested objects in an argument': (n) =>
    `mutation { createApp(input: ${'{title: '.repeat(n)}1${'}'.repeat(n)}) { clientMutationId } }`,
  'fields that conflict': (n) => `{ viewer { ${times(n, (i) => `a: ${['name', 'level', 'id'][i % 3]}`)} } }`,
  'introspection of types': (n) => `{ __schema { types { ${times(n, (i) => `a${i}: name`)} } } }`,
  'nested introspection': (n) => `{ __schema { types { ${nested(n, 'ofType {', 'name')} } } }`,
  'introspection by fragments': (n) =>
    `{ __schema { types { ...F0 } } } ${times(n, (i) => `fragment F${i} on __Type { name ofType { ...F${i + 1} } }`)} fragment F${n} on __Type { name }`,
  'a repeated object beside aliases': (n) =>
    `{ projects { ${times(50, () => 'nodes { id }')} ${times(n, (i) => `a${i}: totalCount`)} } }`,
  'fragments of different fields beside aliases': (n) =>
    `{ viewer { ${times(65, (i) => `...F${i}`)} ${times(n, (i) => `a${i}: name`)} } } ${times(65, (i) => `fragment F${i} on Viewer { b${i}: name }`)}`,
  'inline fragments of types beside aliases': (n) =>
    `{ nodes(ids: []) { ${times(70, (i) => `... on ${['App', 'Wallet', 'Project'][i % 3]} { title }`)} ${times(n, (i) => `a${i}: id`)} } }`,
};
