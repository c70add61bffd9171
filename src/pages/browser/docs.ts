import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';
import SwaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { authorization } from './token.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const place = document.querySelector('#docs');
if (place === null) throw new Error('The page has no place for the docs.');

const response = await fetch('./openapi.json');
// Where the page itself was reached, whatever address the document names.
const servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];
const absent = () => null;

SwaggerUi({
  domNode: place,
  spec: { ...(await response.json()), servers },
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  // It is a service of another host.
  validatorUrl: null,
  // The request is shown as it was before the token was put in.
  showMutatedRequest: false,
  requestInterceptor(request) {
    Object.assign(request.headers, authorization());
    return request;
  },
  // The token has its field in the bar, and there is one server.
  plugins: [
    { components: { authorizeBtn: absent, authorizeOperationBtn: absent, ServersContainer: absent } },
  ],
});
