// @module-tag conformance
// @module-tag needs/python3-authlib
// @module-tag needs/python3-requests

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import axios from 'axios';
import { clientCredentials } from 'axios-oauth-client';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { beforeAll, expect, test } from 'vitest';
import { type AppKey, createApp } from '../../support/actors.ts';
import { restApi } from '../../support/apis.ts';
import { conforms } from '../../support/conformance.ts';
import { seedTenant, testGateway, useGateway } from '../../support/gateway.ts';

const gateway = useGateway();
let app: AppKey;
let project: string | undefined;
beforeAll(async () => {
  const { token, projects } = await seedTenant(gateway);
  app = await createApp(api, token);
  project = projects[0];
});

const api = restApi(() => gateway.url);

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const PYTHON = `
import sys
from authlib.integrations.requests_client import OAuth2Session
url, name, key = sys.argv[1:]
session = OAuth2Session(name, key, token_endpoint_auth_method='client_secret_post')
print(session.fetch_token(url + '/oauth/token', grant_type='client_credentials')['access_token'], end='')
`;

// The programs in docs/clients.md send the credentials in a header.
const IN_BODY: Readonly<Record<string, (name: string, key: string) => Promise<unknown>>> = {
  async 'simple-oauth2'(id, secret) {
    const auth = { tokenHost: gateway.url };
    const options = { authorizationMethod: 'body' } as const;
    const client = new ClientCredentials({ client: { id, secret }, auth, options });
    return (await client.getToken({ scope: 'read' })).token['access_token'];
  },
  async 'axios-oauth-client'(name, key) {
    const url = `${gateway.url}/oauth/token`;
    return (await clientCredentials(axios.create(), url, name, key)('read')).access_token;
  },
  // Only in a test, the key is on the command line.
  Authlib: async (name, key) =>
    (await promisify(execFile)('/usr/bin/python3', ['-c', PYTHON, gateway.url, name, key])).stdout,
};

test.each(Object.entries(IN_BODY))(
  '%s gets a token with credentials in the body',
  async (_program, issue) => {
    const { value } = await api.listProjects(String(await issue(app.name, app.privateKey)));
    expect(value?.projects.map(({ name }) => name)).toEqual([project]);
  },
);

test('openid-client gets, introspects and revokes a token, behind a proxy that adds a path to the public URL', async () => {
  const issuer = new URL('https://paw.example/a/paw');
  const prefixed = await testGateway({ PUBLIC_URL: issuer.href, DATABASE_URL: gateway.databaseUrl });
  const proxied: openid.CustomFetch = (url, options) => {
    const { pathname } = new URL(url);
    return fetch(prefixed.url + pathname.replace(/^\/a\/paw\//, '/'), options as RequestInit);
  };
  const options = { algorithm: 'oauth2', [openid.customFetch]: proxied } as const;
  const config = await openid.discovery(issuer, app.name, app.privateKey, undefined, options);
  const grant = { scope: 'read', resource: issuer.href };
  const { access_token: token } = await openid.clientCredentialsGrant(config, grant);
  const introspected = await openid.tokenIntrospection(config, token);
  expect(introspected).toMatchObject({ active: true, scope: 'read', client_id: app.name, project });
  await openid.tokenRevocation(config, token);
  expect(await openid.tokenIntrospection(config, token)).toEqual({ active: false });
});

test.each([
  ['GET', '/project/projects'],
  ['POST', '/graphql'],
  ['POST', '/auth/apps'],
  ['POST', '/auth/accounts:signinIdentity'],
  ['POST', '/auth/accounts%3AsigninIdentity'],
  ['PATCH', `/wallet/wallets/${ULID}`],
  ['PATCH', `/wallet/wallets%2F${ULID}`],
])(
  'oauth4webapi finds the server by the challenge of %s %s, and gets, introspects and revokes a token',
  async (method, path) => {
    const options = { [oauth.allowInsecureRequests]: true };
    const url = new URL(path, gateway.url);
    const headers = new Headers({ 'content-type': 'application/json' });
    const body = method === 'GET' ? undefined : '{"query":"{viewer{id}}"}';
    const error = await oauth
      .protectedResourceRequest('none', method, url, headers, body, options)
      .catch((e) => e);
    const [challenge] = error.cause;
    const found = await fetch(challenge.parameters.resource_metadata);
    // It refuses a document of another resource than the URL of the request.
    const resource = await oauth.processResourceDiscoveryResponse(url, found);
    const discovered = await oauth.resourceDiscoveryRequest(url, options);
    expect(await oauth.processResourceDiscoveryResponse(url, discovered)).toEqual(resource);
    const issuer = new URL(resource.authorization_servers?.[0] ?? '');
    const request = { ...options, algorithm: 'oauth2' } as const;
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, request),
    );

    const client = { client_id: app.name };
    const secret = oauth.ClientSecretPost(app.privateKey);
    const grant = { scope: 'read', resource: resource.resource };
    const granted = await oauth.clientCredentialsGrantRequest(server, client, secret, grant, options);
    const { access_token: token } = await oauth.processClientCredentialsResponse(server, client, granted);
    const introspect = async () =>
      oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, secret, token, options),
      );
    expect(await introspect()).toMatchObject({ active: true, client_id: app.name, project });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, secret, token, options),
    );
    expect(await introspect()).toEqual({ active: false });
    conforms('oauth4webapi');
  },
);
