import {
  type Disposable,
  type Environment,
  type GraphQLTaggedNode,
  getFragment,
  getSingularSelector,
} from 'relay-runtime';

/** The compiled type of an object on which a fragment is spread. */
type Key<Data> = { readonly ' $data'?: Data; readonly ' $fragmentSpreads': unknown };

/** Reads a fragment from the store. */
export function readFragment<Data>(
  environment: Environment,
  fragment: GraphQLTaggedNode,
  key: Key<Data>,
): Data {
  return environment.lookup(getSingularSelector(getFragment(fragment), key)).data as Data;
}

/** Calls `changed` after each change in the store of the data that a fragment reads. */
export function watchFragment<Data>(
  environment: Environment,
  fragment: GraphQLTaggedNode,
  key: Key<Data>,
  changed: (data: Data) => void,
): Disposable {
  const snapshot = environment.lookup(getSingularSelector(getFragment(fragment), key));
  return environment.subscribe(snapshot, ({ data }) => changed(data as Data));
}
