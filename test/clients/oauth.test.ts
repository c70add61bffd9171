import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import axios from 'axios';
import { clientCredentials } from 'axios-oauth-client';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AppKey, createApp, withOtherSecret } from '../support/actors.ts';
import { restApi } from '../support/apis.ts';
import { seedTenant, testGateway, useGateway } from '../support/gateway.ts';

const run = promisify(execFile);

const gateway = useGateway();
let app: AppKey;
let project: string | undefined;
beforeAll(async () => {
  const { token, projects } = await seedTenant(gateway);
  app = await createApp(api, token);
  project = projects[0];
});

const api = restApi(() => gateway.url);

/** Gets a token with a private key. */
type Client = { readonly name: string; issue(privateKey: string): Promise<string> };

const PYTHON = `
import sys
from authlib.integrations.requests_client import OAuth2Session
url, name, key, method = sys.argv[1:]
session = OAuth2Session(name, key, token_endpoint_auth_method=method)
print(session.fetch_token(url + '/oauth/token', grant_type='client_credentials')['access_token'], end='')
`;

const clients: readonly Client[] = [
  {
    name: 'openid-client',
    async issue(privateKey) {
      const config = await openid.discovery(new URL(gateway.url), app.name, privateKey, undefined, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      });
      return (await openid.clientCredentialsGrant(config, { scope: 'read write' })).access_token;
    },
  },
  ...(['header', 'body'] as const).map((authorizationMethod) => ({
    name: `simple-oauth2, with credentials in the ${authorizationMethod}`,
    async issue(privateKey: string) {
      const client = new ClientCredentials({
        client: { id: app.name, secret: privateKey },
        auth: { tokenHost: gateway.url },
        options: { authorizationMethod },
      });
      return String((await client.getToken({ scope: 'read' })).token['access_token']);
    },
  })),
  {
    name: 'axios-oauth-client',
    async issue(privateKey) {
      const url = `${gateway.url}/oauth/token`;
      return (await clientCredentials(axios.create(), url, app.name, privateKey)('read')).access_token;
    },
  },
  {
    name: 'curl',
    async issue(privateKey) {
      const form = ['-d', 'grant_type=client_credentials', '-u', `${app.name}:${privateKey}`];
      const { stdout } = await run('curl', ['--silent', ...form, `${gateway.url}/oauth/token`]);
      const { access_token, error } = JSON.parse(stdout);
      if (error) throw new Error(error);
      return access_token;
    },
  },
  ...['client_secret_basic', 'client_secret_post'].map((method) => ({
    name: `Authlib of Python, by ${method}`,
    async issue(privateKey: string) {
      // Only in a test, the key is on the command line.
      const { stdout } = await run('/usr/bin/python3', [
        '-c',
        PYTHON,
        gateway.url,
        app.name,
        privateKey,
        method,
      ]);
      return stdout;
    },
  })),
];

describe.each(clients)('$name', ({ issue }) => {
  test('gets a token, and lists projects', async () => {
    const token = await issue(app.privateKey);
    const { value } = await api.listProjects(token);
    expect(value?.projects.map(({ name }) => name)).toEqual([project]);
  });

  test('names the error of a wrong secret', async () => {
    const error = await issue(withOtherSecret(app.privateKey)).catch((thrown) => thrown);
    expect(textOf(error)).toContain('invalid_client');
  });
});

test('openid-client configures itself behind a proxy that adds a path to the public URL', async () => {
  const issuer = new URL('https://paw.example/a/paw');
  const prefixed = await testGateway({ PUBLIC_URL: issuer.href, DATABASE_URL: gateway.databaseUrl });
  const proxied: openid.CustomFetch = (url, options) => {
    const { pathname } = new URL(url);
    return fetch(prefixed.url + pathname.replace(/^\/a\/paw\//, '/'), options as RequestInit);
  };
  const options = { algorithm: 'oauth2', [openid.customFetch]: proxied } as const;
  const config = await openid.discovery(issuer, app.name, app.privateKey, undefined, options);
  expect((await openid.clientCredentialsGrant(config)).access_token).toMatch(/^paw_app_/);
});

describe('a library that knows the URL, the id and the secret', () => {
  test('openid-client gets, introspects and revokes a token', async () => {
    const config = await openid.discovery(new URL(gateway.url), app.name, app.privateKey, undefined, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
    const grant = { scope: 'read', resource: gateway.url };
    const { access_token: token } = await openid.clientCredentialsGrant(config, grant);
    const introspected = await openid.tokenIntrospection(config, token);
    expect(introspected).toMatchObject({ active: true, scope: 'read', client_id: app.name, project });
    await openid.tokenRevocation(config, token);
    expect(await openid.tokenIntrospection(config, token)).toEqual({ active: false });
  });

  test('oauth4webapi finds the server by the challenge, and gets, introspects and revokes a token', async () => {
    const options = { [oauth.allowInsecureRequests]: true };
    const url = new URL(gateway.url);
    const api = new URL('/project/projects', url);
    const error = await oauth
      .protectedResourceRequest('none', 'GET', api, undefined, undefined, options)
      .catch((e) => e);
    const [challenge] = error.cause;
    const found = await fetch(challenge.parameters.resource_metadata);
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
  });
});

/** Returns what an error says, also by its response, its cause or the standard error. */
function textOf(error: unknown): string {
  const { message, stderr, cause, data, response } = error as Record<string, unknown>;
  const { payload } = (data ?? {}) as Record<string, unknown>;
  const { data: body } = (response ?? {}) as Record<string, unknown>;
  return JSON.stringify([message, stderr, cause, payload, body]);
}
