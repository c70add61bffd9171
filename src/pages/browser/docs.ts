import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';
import SwaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { authorization, connectTokenField } from './token.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

connectTokenField();

const container = document.querySelector('#docs');
if (container === null) throw new Error('The page has no element #docs.');

const response = await fetch('./openapi.json');
// The URL in the address bar instead of the URL in the document: only the former is surely reachable.
const servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];
const hidden = () => null;

SwaggerUi({
  domNode: container,
  spec: { ...(await response.json()), servers },
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  // Disables the validator, a service on another host.
  validatorUrl: null,
  // Shows the request without the token, which the interceptor adds.
  showMutatedRequest: false,
  requestInterceptor(request) {
    Object.assign(request.headers, authorization());
    return request;
  },
  // The header bar has the field for the token, and there is only one server.
  plugins: [
    { components: { authorizeBtn: hidden, authorizeOperationBtn: hidden, ServersContainer: hidden } },
  ],
});
