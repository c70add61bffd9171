import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** The fragments of a document by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** A field of a selection set, or of a fragment in it. */
export type SelectedField = {
  readonly node: FieldNode;
  /** The name of the type in which the field is selected; undefined if the document has no such type. */
  readonly parent: string | undefined;
  /** Whether the field, or a fragment around it, has a condition. */
  readonly isConditional: boolean;
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

  /** Adds the fields of a selection set. A fragment is expanded once, and once more under a condition. */
  add({ selections }: SelectionSetNode, parent: string | undefined, isConditional = false): void {
    for (const selection of selections) {
      const isOwnConditional = isConditional || (selection.directives ?? []).some(isCondition);
      if (selection.kind === Kind.FIELD) {
        this.#addField({ node: selection, parent, isConditional: isOwnConditional });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const type = selection.typeCondition?.name.value ?? parent;
        this.add(selection.selectionSet, type, isOwnConditional);
      } else {
        const key = `${selection.name.value} ${isOwnConditional}`;
        if (this.#expanded.has(key)) continue;
        this.#expanded.add(key);
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment !== undefined)
          this.add(fragment.selectionSet, fragment.typeCondition.name.value, isOwnConditional);
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

/** Returns the fragments of a document. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/** Returns whether a directive is a condition: `@skip` or `@include`. */
export function isCondition({ name }: DirectiveNode): boolean {
  return name.value === GraphQLSkipDirective.name || name.value === GraphQLIncludeDirective.name;
}
