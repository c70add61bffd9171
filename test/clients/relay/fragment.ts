import {
  type Disposable,
  type Environment,
  type GraphQLTaggedNode,
  getFragment,
  getSingularSelector,
} from 'relay-runtime';

/** What the compiler makes of a place that a fragment is spread at. */
type Key<Data> = { readonly ' $data'?: Data; readonly ' $fragmentSpreads': unknown };

/** Reads a fragment from the store. */
export function readFragment<Data>(
  environment: Environment,
  fragment: GraphQLTaggedNode,
  key: Key<Data>,
): Data {
  return environment.lookup(getSingularSelector(getFragment(fragment), key)).data as Data;
}

/** Calls `changed` whenever what a fragment reads is changed in the store. */
export function watchFragment<Data>(
  environment: Environment,
  fragment: GraphQLTaggedNode,
  key: Key<Data>,
  changed: (data: Data) => void,
): Disposable {
  const snapshot = environment.lookup(getSingularSelector(getFragment(fragment), key));
  return environment.subscribe(snapshot, ({ data }) => changed(data as Data));
}
