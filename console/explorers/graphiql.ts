import './style-nonce.ts';
import 'graphiql/style.css';
import './graphiql.css';
import { useGraphiQL } from '@graphiql/react';
import { GraphiQL } from 'graphiql';
import { createElement, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { authorization, connectTokenField, SECRET_LENGTH } from '../kept-token.ts';
import { type APP, type Example, examplesFor, type WALLET } from './examples.ts';
import { memoryStorage } from './memory-storage.ts';

// So that a token is not used before it is complete.
const COMPLETE_TOKEN = new RegExp(`^paw_(acct|app)_\\w{${SECRET_LENGTH}}$`);

const FIND_WALLET =
  '{ projects(first: 100) { nodes { wallets(first: 1) { nodes { name title description } } } } }';

const container = document.querySelector<HTMLElement>('#graphiql');
if (container === null) throw new Error('The page has no element #graphiql.');

const { dataset } = container;
const getWorker = (_id: string, label: string) =>
  new Worker(dataset[`${label}Worker`] ?? dataset['editorWorker'] ?? '', { type: 'module' });
Object.assign(globalThis, { MonacoEnvironment: { getWorker } });

// The console links to its requests.
const linked = new URLSearchParams(location.hash.slice(1));
const request = { query: linked.get('query') ?? '', variables: linked.get('variables') ?? '' };

const root = createRoot(container);
/** The variables that the examples have had. If the editor has others, the user has edited them. */
const filled = new Set<string>();
let token = '';
let wallet: typeof WALLET | undefined;
let newApp: typeof APP | undefined;

const dark = matchMedia('(prefers-color-scheme: dark)');
// GraphiQL reads the color scheme of the system only once.
dark.addEventListener('change', render);
connectTokenField(async (entered) => {
  token = entered;
  wallet = newApp = undefined;
  render();
  if (!COMPLETE_TOKEN.test(entered)) return;
  const { data } = await send({ query: FIND_WALLET }).catch((): Answer => ({}));
  // Another token can have been entered since.
  if (token !== entered) return;
  wallet = data?.projects?.nodes.flatMap(({ wallets }) => wallets.nodes)[0];
  render();
});

function render(): void {
  const examples = examplesFor(wallet, newApp);
  for (const { variables } of examples) filled.add(variables);
  const tabs = request.query ? [request, ...examples] : examples;
  const props = {
    fetcher: send,
    // The variables in GraphiQL contain private keys and passwords.
    storage: memoryStorage,
    defaultTabs: tabs,
    initialVariables: tabs[0]?.variables ?? '',
    defaultEditorToolsVisibility: 'variables',
    inputValueDeprecation: true,
    isHeadersEditorEnabled: false,
    showPersistHeadersSettings: false,
    forcedTheme: dark.matches ? 'dark' : 'light',
  } as const;
  root.render(createElement(GraphiQL, props, createElement(FillTab, { examples })));
}

/** Fills the active tab, if it is an example that the user has not edited. A child of GraphiQL. */
function FillTab({ examples }: { examples: Example[] }): null {
  const title = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.title);
  const editor = useGraphiQL(({ variableEditor }) => variableEditor);
  useEffect(() => {
    const example = examples.find(({ query }) => query.includes(` ${title}(`));
    if (editor && example && filled.has(editor.getValue())) editor.setValue(example.variables);
  }, [title, examples, editor]);
  return null;
}

type Operation = { readonly query: string; readonly operationName?: string | null };

/** The data that the page itself reads. */
type Answer = {
  readonly data?: {
    readonly projects?: { nodes: readonly { wallets: { nodes: readonly (typeof WALLET)[] } }[] };
    readonly createApp?: { readonly app?: Partial<typeof APP> } | null;
  } | null;
};

async function send({ operationName, ...operation }: Operation): Promise<Answer> {
  // For a moment after a change of tabs, GraphiQL names the operation of the tab before. A comment can contain its name.
  const isNamed =
    operationName && new RegExp(`^\\s*(query|mutation)\\s+${operationName}\\b`, 'm').test(operation.query);
  const response = await fetch('./graphql', {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
      ...authorization(),
    },
    body: JSON.stringify({ ...operation, ...(isNamed && { operationName }) }),
  });
  const answer: Answer = await response.json();
  const { name, privateKey } = answer.data?.createApp?.app ?? {};
  if (name && privateKey) {
    newApp = { name, privateKey };
    render();
  }
  return answer;
}
