import './style-nonce.ts';
import './reference.css';
import { connectTokenField } from '../kept-token.ts';
import { memoryStorage } from './memory-storage.ts';

const container = document.querySelector('#reference');
if (container === null) throw new Error('The page has no element #reference.');

// Scalar stores the language of the shown requests, and fails in a browser that blocks storage.
Object.defineProperty(globalThis, 'localStorage', { value: memoryStorage });
// The validator in Scalar would otherwise try to generate code, which the policy of the page forbids.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

const [contract] = await Promise.all([
  fetch('./openapi.json').then((response) => response.json()),
  import('scalar.js'),
]);
// The examples of these headers are placeholders of Postman, which nothing replaces in a copied request.
for (const { schema } of Object.values<{ schema: { examples?: unknown } }>(contract.components.parameters)) {
  delete schema.examples;
}
// The URL in the address bar instead of the URL in the document: only the former is surely reachable.
const servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];

// Scalar has its own main element.
container.parentElement?.replaceWith(container);

let reference: Scalar.Reference | undefined;
connectTokenField((token) => {
  const configuration = {
    content: contract,
    servers,
    authentication: {
      preferredSecurityScheme: 'bearerToken',
      securitySchemes: { bearerToken: { token } },
    },
    hideDarkModeToggle: true,
    theme: 'none',
    withDefaultFonts: false,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    defaultOpenAllTags: true,
    expandAllParameters: false,
    // As in the contract.
    orderSchemaPropertiesBy: 'preserve',
    orderRequiredPropertiesFirst: false,
    documentDownloadType: 'none',
    hideModels: true,
    hideSearch: true,
    // Disables all that would leave the gateway.
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: false,
    telemetry: false,
  };
  if (reference) reference.updateConfiguration(configuration);
  else reference = Scalar.createApiReference(container, configuration);
});
