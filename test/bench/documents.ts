// Documents of many shapes, for the measurement of the time that the validation of a document takes.

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
  'a repeated field': (n) => `{ projects { nodes { ${times(n, () => 'title')} } } }`,
  'a repeated object': (n) => `{ projects { ${times(n, () => 'nodes { id }')} } }`,
  'a repeated object with repeated fields': (n) =>
    `{ projects { ${times(square(n), () => `nodes { ${times(square(n), () => 'id')} }`)} } }`,
  'repeated objects of many fields': (n) =>
    `{ projects { ${times(square(n), () => `nodes { ${times(square(n), (i) => `a${i}: id`)} }`)} } }`,
  'repeated objects at every level': (n) => {
    const level = (depth: number): string =>
      depth === 0
        ? 'id'
        : times(2, () => `node { apps { nodes { project { apps { edges { ${level(depth - 1)} } } } } } }`);
    return `{ projects { edges { ${level(Math.floor(Math.log2(n + 1)))} } } }`;
  },
  'inline fragments': (n) => `{ projects { ${times(n, () => '... { nodes { id } }')} } }`,
  'inline fragments of different fields': (n) =>
    `{ projects { ${times(n, (i) => `... { a${i}: totalCount }`)} } }`,
  'inline fragments of types': (n) =>
    `{ nodes(ids: []) { ${times(n, (i) => `... on ${['App', 'Wallet', 'Project'][i % 3]} { title }`)} } }`,
  'inline fragments of many fields': (n) =>
    `{ nodes(ids: []) { ${times(square(n), () => `... on App { ${times(square(n), (i) => `a${i}: title`)} }`)} } }`,
  'nested inline fragments': (n) => `{ ${nested(n, '... {', '__typename')} }`,
  'nested inline fragments with a field': (n) => `{ ${nested(n, '... { viewer { name }', '__typename')} }`,
  'nested objects': (n) =>
    `{ viewer { ${nested(n, 'project { apps { nodes {', 'id').replaceAll(' }', ' } } }')} } }`,
  'an object nested in a repeated one': (n) =>
    `{ viewer { ${times(2, () => nested(n, 'project { apps(first: 1) { nodes {', 'id').replaceAll(' }', ' } } }'))} } }`,
  'fragments of one field': (n) =>
    `{ viewer { ${times(n, (i) => `...F${i}`)} } } ${times(n, (i) => `fragment F${i} on Viewer { name }`)}`,
  'fragments of different fields': (n) =>
    `{ viewer { ${times(n, (i) => `...F${i}`)} } } ${times(n, (i) => `fragment F${i} on Viewer { a${i}: name }`)}`,
  'fragments of many fields': (n) =>
    `{ viewer { ${times(square(n), (i) => `...F${i}`)} } } ${times(square(n), (i) => `fragment F${i} on Viewer { ${times(square(n), (j) => `a${i}_${j}: name`)} }`)}`,
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
  'fragments that spread themselves': (n) =>
    `{ viewer { ...F0 } } ${times(n, (i) => `fragment F${i} on Viewer { name ...F${i} ...F${(i + 1) % n} }`)}`,
  'one fragment in many objects': (n) =>
    `{ projects { ${times(n, (i) => `a${i}: pageInfo { ...F }`)} } } fragment F on PageInfo { endCursor }`,
  'a fragment spread in repeated objects': (n) =>
    `{ projects { ${times(n, () => 'pageInfo { ...F hasNextPage }')} } } fragment F on PageInfo { endCursor hasNextPage }`,
  'fragments in nested inline fragments': (n) =>
    `{ viewer { ${times(n, (i) => `... { ...F${i} }`)} } } ${times(n, (i) => `fragment F${i} on Viewer { name level }`)}`,
  operations: (n) => times(n, (i) => `query Q${i} { viewer { name } }`),
  'operations of one fragment': (n) =>
    `${times(square(n), (i) => `query Q${i} { ...F }`)} fragment F on Query { ${times(n, (i) => `a${i}: __typename`)} }`,
  'operations of many fragments': (n) =>
    `${times(n, (i) => `query Q${i} { ...F0 }`)} ${times(n, (i) => `fragment F${i} on Query { ...F${i + 1} }`)} fragment F${n} on Query { __typename }`,
  'operations with variables of a fragment': (n) =>
    `${times(n, (i) => `query Q${i}($v: Int) { ...F }`)} fragment F on Query { projects(first: $v) { nodes { ${times(n, (i) => `a${i}: apps(first: $v) { totalCount }`)} } } }`,
  'operations with unknown variables of a fragment': (n) =>
    `${times(n, (i) => `query Q${i} { ...F }`)} fragment F on Query { ${times(n, (i) => `a${i}: __typename @skip(if: $v${i})`)} }`,
  variables: (n) =>
    `query (${times(n, (i) => `$v${i}: Boolean!`)}) { ${times(n, (i) => `a${i}: __typename @skip(if: $v${i})`)} }`,
  'unused variables': (n) => `query (${times(n, (i) => `$v${i}: Boolean!`)}) { __typename }`,
  'unknown variables': (n) => `{ viewer { ${times(n, (i) => `a${i}: name @skip(if: $v${i})`)} } }`,
  'repeated variables': (n) => `query (${times(n, () => '$v: Boolean!')}) { __typename }`,
  'one variable in many places': (n) =>
    `query ($v: Boolean!) { viewer { ${times(n, (i) => `a${i}: name @skip(if: $v)`)} } }`,
  'variables of input objects': (n) =>
    `mutation (${times(n, (i) => `$v${i}: CreateAppInput = {title: "", active: true}`)}) { ${times(n, (i) => `a${i}: createApp(input: $v${i}) { clientMutationId }`)} }`,
  'a list argument': (n) => `{ nodes(ids: [${times(n, (i) => `"${i}"`)}]) { id } }`,
  'repeated list arguments': (n) =>
    `{ ${times(square(n), () => `nodes(ids: [${times(square(n), (i) => `"${i}"`)}]) { id }`)} }`,
  'repeated arguments that differ': (n) =>
    `{ viewer { project { ${times(n, (i) => `apps(first: ${i + 1}) { totalCount }`)} } } }`,
  'repeated object arguments': (n) =>
    `mutation { ${times(square(n), () => `createApp(input: {title: "a", active: true, project: "b"}) { app { ${times(square(n), () => 'id')} } }`)} }`,
  'object arguments': (n) =>
    `mutation { ${times(n, (i) => `a${i}: updateWallet(input: {name: "a", title: "b", description: "c"}) { clientMutationId }`)} }`,
  'unknown fields': (n) => `{ viewer { ${times(n, (i) => `nam${i}`)} } }`,
  'unknown root fields': (n) => `{ ${times(n, (i) => `project${i}`)} }`,
  'unknown fields of an interface': (n) => `{ node(id: "") { ${times(n, (i) => `a${i}: titl`)} } }`,
  'unknown types': (n) => `{ viewer { ${times(n, (i) => `... on Projec${i} { id }`)} } }`,
  'unknown arguments': (n) => `{ projects(${times(n, (i) => `firs${i}: 1`)}) { totalCount } }`,
  'unknown input fields': (n) =>
    `mutation { createApp(input: {${times(n, (i) => `titl${i}: 1`)}}) { clientMutationId } }`,
  'unknown directives': (n) => `{ viewer { ${times(n, (i) => `a${i}: name @ski${i}`)} } }`,
  'unknown fragments': (n) => `{ viewer { ${times(n, (i) => `...F${i}`)} } }`,
  'unused fragments': (n) => `{ __typename } ${times(n, (i) => `fragment F${i} on Viewer { name }`)}`,
  'repeated fragments': (n) => `{ viewer { ...F } } ${times(n, () => 'fragment F on Viewer { name }')}`,
  'unknown values': (n) =>
    `mutation { updateWallet(input: {name: "", ${times(n, (i) => `network: NETWORK_ETHEREU${i}`)}}) { clientMutationId } }`,
  'values of a wrong type': (n) => `{ nodes(ids: [${times(n, () => '1.5')}]) { id } }`,
  'nested lists': (n) => `{ nodes(ids: ${'['.repeat(n)}${']'.repeat(n)}) { id } }`,
  'nested objects in an argument': (n) =>
    `mutation { createApp(input: ${'{title: '.repeat(n)}1${'}'.repeat(n)}) { clientMutationId } }`,
  'repeated directives': (n) => `{ __typename ${times(n, () => '@skip(if: true)')} }`,
  directives: (n) => `{ viewer { ${times(n, (i) => `a${i}: name @skip(if: true) @include(if: false)`)} } }`,
  'fields that conflict': (n) => `{ viewer { ${times(n, (i) => `a: ${['name', 'level', 'id'][i % 3]}`)} } }`,
  'nested fields that conflict': (n) =>
    `{ projects { ${times(n, (i) => `nodes { a: ${['id', 'title'][i % 2]} }`)} } }`,
  'leaves with subfields': (n) => `{ viewer { ${times(n, (i) => `a${i}: name { id }`)} } }`,
  'objects without subfields': (n) => `{ viewer { ${times(n, (i) => `a${i}: project`)} } }`,
  'impossible fragments': (n) => `{ viewer { project { ${times(n, () => '... on App { id }')} } } }`,
  'introspection of types': (n) => `{ __schema { types { ${times(n, (i) => `a${i}: name`)} } } }`,
  'introspection by name': (n) => `{ ${times(n, (i) => `a${i}: __type(name: "App") { name }`)} }`,
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
