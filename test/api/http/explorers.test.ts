import { describe, expect, test } from 'vitest';
import { type HttpResponse, send } from '../../support/both-apis.ts';
import { seedTenant, testGateway, useGateway } from '../../support/gateway.ts';
import { browse } from '../../support/pages.ts';

const STUDIO = 'https://studio.apollographql.com';
const INTROSPECTION = { query: '{ __schema { queryType { name } } }' };

const GATEWAYS = {
  'by default': useGateway(),
  'in production': useGateway({ NODE_ENV: 'production' }),
  'with two origins': useGateway({ PAW_CORS_ORIGINS: 'https://a.example, http://localhost:3000' }),
  'with any port': useGateway({ PAW_CORS_ORIGINS: 'http://localhost:*' }),
  'with all origins': useGateway({ PAW_CORS_ORIGINS: '*' }),
} as const;

type Setting = keyof typeof GATEWAYS;

const SETTING_NAMES = Object.keys(GATEWAYS) as readonly Setting[];

describe('Apollo Sandbox', () => {
  test('opens by default in a browser', async () => {
    const { status, headers, text } = await browse(`${GATEWAYS['by default'].url}/graphql`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('new EmbeddedSandbox(');
  });

  test('does not lead to GraphiQL where that is not served', async () => {
    const { url } = await testGateway({ PAW_EXPLORERS: 'off' });
    expect((await browse(`${url}/graphql`)).text).toContain(
      '<p id="offline">Apollo Sandbox loads from the internet.</p>',
    );
  });

  test('does not open in production', async () => {
    const { status, headers, text } = await browse(`${GATEWAYS['in production'].url}/graphql`);
    expect([status, headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
    expect(JSON.parse(text).errors[0].extensions.code).toBe('BAD_REQUEST');
  });

  test.each(['application/json', '', '*/*', 'application/json, text/html'])(
    'is not sent to a client that accepts %s',
    async (accept) => {
      const headers = { accept, 'apollo-require-preflight': 'true' };
      const answer = await ask('by default', 'GET', '/graphql?query={__typename}', headers);
      expect(answer).toMatchObject({ status: 200, text: '{"data":{"__typename":"Query"}}' });
    },
  );
});

describe('a page of another origin', () => {
  const ORIGINS = [
    STUDIO,
    'https://a.example',
    'http://localhost:3000',
    'http://localhost',
    'https://localhost:3000',
    'http://localhost.b.example:3000',
    'https://b.example',
    `${STUDIO}.b.example`,
    'https://a.example:8443',
    'null',
  ];
  const ALLOWED: Readonly<Record<Setting, readonly string[]>> = {
    'by default': [STUDIO],
    'in production': [],
    'with two origins': ['https://a.example', 'http://localhost:3000'],
    'with any port': ['http://localhost:3000', 'http://localhost'],
    'with all origins': ORIGINS,
  };

  test.each(SETTING_NAMES)('%s, reads what its origin may', async (setting) => {
    for (const origin of ORIGINS) {
      const preflight = (method: string, headers: string) => ({
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': headers,
      });
      const answers = [
        await ask(setting, 'OPTIONS', '/graphql', preflight('POST', 'authorization,content-type')),
        await ask(setting, 'OPTIONS', '/project/projects', preflight('GET', 'authorization')),
        await ask(setting, 'POST', '/graphql', { origin }, INTROSPECTION),
        await ask(setting, 'GET', '/project/projects', { origin }),
        await ask(setting, 'GET', '/nothing', { origin }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([204, 204, 200, 401, 404]);
      const allowed = setting === 'with all origins' ? '*' : origin;
      for (const { headers } of answers) {
        const expected = ALLOWED[setting].includes(origin) ? allowed : null;
        expect(headers.get('access-control-allow-origin'), origin).toBe(expected);
        expect(headers.get('access-control-allow-credentials')).toBeNull();
      }
    }
  });

  test('may read the exposed headers', async () => {
    const { headers } = await ask('by default', 'GET', '/project/projects', { origin: STUDIO });
    const exposed = (headers.get('access-control-expose-headers') ?? '').split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['x-request-id', 'retry-after', 'www-authenticate']));
  });

  test('does not share cached responses with other origins', async () => {
    const tenant = await seedTenant(GATEWAYS['with two origins']);
    const cover = `/covers/${tenant.projects[0]?.replace('projects/', '')}.svg`;
    for (const origin of [undefined, 'https://a.example', 'https://b.example']) {
      const { status, headers } = await ask('with two origins', 'GET', cover, origin ? { origin } : {});
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toContain('public');
      expect(headers.get('vary')).toMatch(/\borigin\b/i);
    }
  });
});

function ask(
  setting: Setting,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<HttpResponse> {
  return send(GATEWAYS[setting].url + path, method, undefined, body, headers);
}
