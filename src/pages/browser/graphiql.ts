import './style-nonce.ts';
import 'graphiql/style.css';
import './graphiql.css';
import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { EXAMPLES } from './examples.ts';
import { authorization, connectTokenField } from './token.ts';

const container = document.querySelector<HTMLElement>('#graphiql');
if (container === null) throw new Error('The page has no element #graphiql.');

const { editorWorker = '', jsonWorker = '', graphqlWorker = '' } = container.dataset;
const workers: Readonly<Record<string, string>> = { json: jsonWorker, graphql: graphqlWorker };

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_id: string, label: string) => new Worker(workers[label] ?? editorWorker, { type: 'module' }),
  },
});

connectTokenField();

const root = createRoot(container);
const storage = memoryStorage();
const dark = matchMedia('(prefers-color-scheme: dark)');
// GraphiQL reads the color scheme of the system only once.
dark.addEventListener('change', render);
render();

function render(): void {
  root.render(
    createElement(GraphiQL, {
      fetcher: send,
      storage,
      defaultTabs: [...EXAMPLES],
      ...(EXAMPLES[0] && { initialVariables: EXAMPLES[0].variables }),
      defaultEditorToolsVisibility: 'variables',
      inputValueDeprecation: true,
      isHeadersEditorEnabled: false,
      showPersistHeadersSettings: false,
      forcedTheme: dark.matches ? 'dark' : 'light',
    }),
  );
}

async function send(operation: object) {
  const response = await fetch('./graphql', {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
      ...authorization(),
    },
    body: JSON.stringify(operation),
  });
  return response.json();
}

/** Replaces local storage: the variables in GraphiQL contain private keys and passwords, which must not be stored. */
function memoryStorage() {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
    clear: () => items.clear(),
  };
}
