import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect, useState } from 'react';
import type { Example } from './examples.ts';

/** What a tab got: the position of its example in the list, and the text of this example. */
type Filled = { readonly position: number; readonly example: Example };

/**
 * Keeps the last tabs of GraphiQL equal to the examples, which change with the token. A tab is filled when it is active.
 * A tab that the person has edited stays as it is. Must be a child of GraphiQL, whose `defaultTabs` end with the examples.
 */
export function ExampleTabs({ examples }: { examples: readonly Example[] }): null {
  const { tabs, activeTabIndex, queryEditor, variableEditor } = useGraphiQL(
    pick('tabs', 'activeTabIndex', 'queryEditor', 'variableEditor'),
  );
  const { updateActiveTabValues } = useGraphiQLActions();
  const [filled] = useState(() => {
    const exampleTabs = tabs.slice(-examples.length);
    return new Map(
      exampleTabs.map(({ id, query, variables }, position): [string, Filled] => [
        id,
        { position, example: { query: query ?? '', variables: variables ?? '' } },
      ]),
    );
  });
  const id = tabs[activeTabIndex]?.id ?? '';
  useEffect(() => {
    const { position = -1, example: before } = filled.get(id) ?? {};
    const example = examples[position];
    if (!example || !queryEditor || !variableEditor) return;
    const isEdited =
      queryEditor.getValue() !== before?.query || variableEditor.getValue() !== before.variables;
    if (isEdited || (example.query === before.query && example.variables === before.variables)) return;
    queryEditor.setValue(example.query);
    variableEditor.setValue(example.variables);
    // GraphiQL itself stores the values later, and not at all if another tab is selected before.
    updateActiveTabValues(example);
    filled.set(id, { position, example });
  }, [id, examples, queryEditor, variableEditor, filled, updateActiveTabValues]);
  return null;
}
