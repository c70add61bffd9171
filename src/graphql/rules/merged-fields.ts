import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
} from 'graphql';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** A field of a selection set, or of a fragment in it. */
export type SelectedField = {
  readonly node: FieldNode;
  /** The name of the type in which the field is selected; undefined if the document has no such type. */
  readonly parent: string | undefined;
};

/** The fields of the selection sets of one object, by response key. Fragments are expanded. */
export class MergedFields {
  readonly byKey = new Map<string, SelectedField[]>();
  readonly #fragments: Fragments;
  readonly #expanded = new Set<string>();

  constructor(fragments: Fragments) {
    this.#fragments = fragments;
  }

  /** The number of different fragments that are spread in the selection sets, or in their fragments. */
  get fragmentCount(): number {
    return this.#expanded.size;
  }

  /** Adds the fields of a selection set. A fragment is expanded once. */
  add({ selections }: SelectionSetNode, parent?: string): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        this.#addField({ node: selection, parent });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.add(selection.selectionSet, selection.typeCondition?.name.value ?? parent);
      } else if (!this.#expanded.has(selection.name.value)) {
        this.#expanded.add(selection.name.value);
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment !== undefined) this.add(fragment.selectionSet, fragment.typeCondition.name.value);
      }
    }
  }

  #addField(field: SelectedField): void {
    const key = (field.node.alias ?? field.node.name).value;
    const fields = this.byKey.get(key);
    if (fields === undefined) this.byKey.set(key, [field]);
    else fields.push(field);
  }
}

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/**
 * Returns the number of selections in a set if each spread of a fragment is replaced by its selections. It can grow
 * exponentially with the document. The fragments must not be cyclic.
 *
 * @param known the numbers of the fragments counted so far
 */
export function expandedSelections(
  { selections }: SelectionSetNode,
  fragments: Fragments,
  known = new Map<string, number>(),
): number {
  return selections.reduce((sum, selection) => {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) {
      const { selectionSet } = selection;
      return sum + 1 + (selectionSet ? expandedSelections(selectionSet, fragments, known) : 0);
    }
    const name = selection.name.value;
    const fragment = fragments.get(name);
    const size =
      known.get(name) ?? (fragment ? expandedSelections(fragment.selectionSet, fragments, known) : 0);
    known.set(name, size);
    return sum + 1 + size;
  }, 0);
}
