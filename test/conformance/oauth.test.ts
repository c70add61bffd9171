// @module-tag night/conformance
// @module-tag needs/python3-requests-oauthlib
// @module-tag needs/ruby-oauth2

import { expect, test } from 'vitest';
import { createApp } from '../support/actors.ts';
import { restApi } from '../support/apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { runProgram } from './run-program.ts';

const PYTHON = `
import os
from oauthlib.oauth2 import BackendApplicationClient, OAuth2Error
from requests_oauthlib import OAuth2Session

paw, app, key = (os.environ[name] for name in ('PAW', 'APP', 'KEY'))
connect = lambda: OAuth2Session(client=BackendApplicationClient(client_id=app, scope=['read']))
session = connect()
session.fetch_token(f'{paw}/oauth/token', client_secret=key)
print(session.get(f'{paw}/project/projects').json()['projects'][0]['name'])
print(session.post(f'{paw}/auth/apps', json={}).status_code)
try:
    connect().fetch_token(f'{paw}/oauth/token', client_secret='nonsense')
except OAuth2Error as error:
    print(error.error)
`;

const RUBY = `
require 'oauth2'

paw, app, key = ENV.values_at('PAW', 'APP', 'KEY')
connect = ->(secret) { OAuth2::Client.new(app, secret, site: paw, token_url: '/oauth/token') }
token = connect.(key).client_credentials.get_token(scope: 'read')
puts token.get('/project/projects').parsed['projects'][0]['name']
puts token.post('/auth/apps', body: '{}', headers: { 'Content-Type' => 'application/json' }, raise_errors: false).status
begin
  connect.('nonsense').client_credentials.get_token
rescue OAuth2::Error => error
  puts error.code
end
`;

const gateway = useGateway();
const api = restApi(() => gateway.url);

test.each([
  ['requests-oauthlib', '/usr/bin/python3', '-c', PYTHON],
  ['Ruby: oauth2', '/usr/bin/ruby', '-e', RUBY],
])('%s gets a token that reads and changes nothing, and the code of an error', async (_name, ...command) => {
  const [program, ...words] = command;
  const { token, project } = await seedTenant(gateway);
  const { name: app, privateKey } = await createApp(api, token);
  const settings = {
    PAW: gateway.url,
    APP: app,
    KEY: privateKey,
    // Without it, oauthlib refuses a URL without TLS.
    OAUTHLIB_INSECURE_TRANSPORT: '1',
  };
  const stdout = `${project}\n403\ninvalid_client\n`;
  expect(await runProgram(program, words, settings)).toEqual({ status: 0, stdout, stderr: '' });
});
