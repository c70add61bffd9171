// @module-tag conformance

import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, expect, test } from 'vitest';
import { restApi } from '../../support/both-apis.ts';
import { seedTenant, testGateway, useGateway } from '../../support/gateway.ts';
import { type AppKey, createApp } from '../../support/requests.ts';

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
  },
);
