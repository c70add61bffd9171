import './style-nonce.ts';
import 'graphiql/style.css';
import './graphiql.css';
import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { ExampleTabs } from './example-tabs.ts';
import { examplesFor, type NewApp, REACH, type Reach } from './examples.ts';
import { takeLinkedOperation } from './linked-operation.ts';
import { MemoryStorage } from './memory-storage.ts';
import { authorization, connectTokenField } from './token.ts';

// So that a token is not asked for what it sees before it is complete.
const COMPLETE_TOKEN = /^paw_(acct|app)_[0-9A-Z]{52}_[0-9a-f]{72}$/;

const TIMEOUT_MS = 30_000;

type Result<Data> = { readonly data?: Data | null };

const container = document.querySelector<HTMLElement>('#graphiql');
if (container === null) throw new Error('The page has no element #graphiql.');

const { editorWorker = '', jsonWorker = '', graphqlWorker = '' } = container.dataset;
const workers: Readonly<Record<string, string>> = { json: jsonWorker, graphql: graphqlWorker };

Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_id: string, label: string) => new Worker(workers[label] ?? editorWorker, { type: 'module' }),
  },
});

const root = createRoot(container);
// The variables in GraphiQL contain private keys and passwords.
const storage = new MemoryStorage();
const linked = takeLinkedOperation();
const firstTabs = [...(linked ? [linked] : []), ...examplesFor()];
let token = '';
let reach: Reach | undefined;
/** The app that was created here last, and the account that it belongs to. */
let newApp: { readonly key: NewApp; readonly account: string | undefined } | undefined;

const dark = matchMedia('(prefers-color-scheme: dark)');
// GraphiQL reads the color scheme of the system only once.
dark.addEventListener('change', render);
render();
connectTokenField(fillExamples);

function render(): void {
  const key = newApp?.account === reach?.viewer.account ? newApp?.key : undefined;
  root.render(
    createElement(
      GraphiQL,
      {
        fetcher: send,
        storage,
        defaultTabs: firstTabs,
        ...(firstTabs[0] && { initialVariables: firstTabs[0].variables }),
        defaultEditorToolsVisibility: 'variables',
        inputValueDeprecation: true,
        isHeadersEditorEnabled: false,
        showPersistHeadersSettings: false,
        forcedTheme: dark.matches ? 'dark' : 'light',
      },
      createElement(ExampleTabs, { examples: examplesFor(reach, key) }),
    ),
  );
}

/** Fills the examples with what the token sees. Without an answer, they have placeholders. */
async function fillExamples(entered: string): Promise<void> {
  token = entered;
  const result = COMPLETE_TOKEN.test(entered)
    ? await post<Reach>({ query: REACH }).catch(() => undefined)
    : undefined;
  // Another token can have been entered since.
  if (token !== entered) return;
  reach = result?.data ?? undefined;
  render();
}

type Operation = { readonly query: string; readonly operationName?: string | null };

/** Sends an operation of the person. */
async function send({ operationName, ...operation }: Operation): Promise<object> {
  // For a moment after a change of tabs, GraphiQL names the operation of the tab before.
  const isNamed = operationName && new RegExp(`\\b${operationName}\\b`).test(operation.query);
  const result = await post<{ createApp?: { app?: Partial<NewApp> } | null }>({
    ...operation,
    ...(isNamed && { operationName }),
  });
  const { name, privateKey } = result.data?.createApp?.app ?? {};
  if (name && privateKey) {
    newApp = { key: { name, privateKey }, account: reach?.viewer.account };
    render();
  }
  return result;
}

async function post<Data>(operation: object): Promise<Result<Data>> {
  const response = await fetch('./graphql', {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
      ...authorization(),
    },
    body: JSON.stringify(operation),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return response.json();
}
