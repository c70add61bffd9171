import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { DOCKERFILE, lastOf, readDockerfile, variablesOf } from './dockerfile.ts';

type Service = {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[] };
  readonly stop_grace_period?: string;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// The gateway completes requests for this long after PAW_STOP_DELAY.
const STOP_DEADLINE_SECONDS = 10;

const textOf = (file: string) => readFileSync(`${ROOT}deploy/${file}`, 'utf8');
const compose: { services: Readonly<Record<string, Service>>; volumes: object } = parse(
  textOf('compose.yaml'),
  {
    merge: true,
  },
);
const stages = readDockerfile(DOCKERFILE);
const image = stages.at(-1);
if (image === undefined) throw new Error('The Dockerfile has no stage.');
const { NODE_OPTIONS, MALLOC_MMAP_THRESHOLD_, ...settings } = variablesOf(image);
const unit = textOf('paw-gateway.service');
const haproxy = textOf('haproxy.cfg');
const nginx = textOf('nginx.conf');

function service(name: string): Service {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`compose.yaml has no service ${name}.`);
  return found;
}

const seconds = (text: string | undefined) => Number(/^(\d+)s$/.exec(text ?? '')?.[1]);

test('all stages use the slim image of the Node that the tests run on', () => {
  const { devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const [major] = devDependencies.node.split('.');
  expect(stages.map((stage) => stage.image)).toEqual(stages.map(() => `node:${major}-bookworm-slim`));
});

test('the image runs the server in production as a user other than root', () => {
  expect(readConfig(settings)).toMatchObject({ host: '0.0.0.0', port: Number(lastOf(image, 'EXPOSE')) });
  expect(settings['NODE_ENV']).toBe('production');
  expect(lastOf(image, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(settings['DATABASE_URL']).toBe(`sqlite:${lastOf(image, 'VOLUME')}/paw.db`);
});

test('the image, the service and `npm start` limit the memory alike', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const threshold = `MALLOC_MMAP_THRESHOLD_=${MALLOC_MMAP_THRESHOLD_}`;
  expect(scripts.start).toBe(`${threshold} exec node ${NODE_OPTIONS} src/main.js serve`);
  expect(unit).toContain(`\nEnvironment=NODE_OPTIONS=${NODE_OPTIONS}\nEnvironment=${threshold}\n`);
});

test('the build context contains only files that exist, and no database, secret or local build', () => {
  const lines = readFileSync(`${ROOT}.dockerignore`, 'utf8').split('\n');
  const [first, ...patterns] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect(first).toBe('*');
  const included = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  expect(included.filter((path) => !existsSync(ROOT + path))).toEqual([]);
  for (const path of ['.env', '.git', 'data', 'deploy', 'dist', 'node_modules'])
    expect(included).not.toContain(path);
});

test('every gateway of compose.yaml has valid settings and enough time to stop', () => {
  for (const name of ['migrate', 'gateway-1', 'gateway-2']) {
    const { build, environment = {}, stop_grace_period } = service(name);
    expect(build).toEqual({ context: '..', dockerfile: 'deploy/Dockerfile' });
    const { PGPASSWORD, PUBLIC_URL, ...plain } = environment;
    expect(PGPASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    const publicUrl = /^\$\{PUBLIC_URL:-(.*)\}$/.exec(PUBLIC_URL ?? '')?.[1] ?? '';
    const config = readConfig({ ...settings, ...plain, PUBLIC_URL: publicUrl });
    expect(seconds(stop_grace_period)).toBeGreaterThan(config.stopDelaySeconds + STOP_DEADLINE_SECONDS);
    const published = service('haproxy').ports?.map((port) => port.split(':').slice(0, 2).join(':'));
    expect(published).toEqual([new URL(publicUrl).host.replace('localhost', '127.0.0.1')]);
  }
});

test('the database of compose.yaml is the one of DATABASE_URL, and no file contains a password', () => {
  const { environment = {}, volumes } = service('postgres');
  const url = new URL(service('gateway-1').environment?.['DATABASE_URL'] ?? '');
  const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = environment;
  expect([url.hostname, url.username, url.password]).toEqual(['postgres', POSTGRES_USER, '']);
  expect(url.pathname).toBe(`/${POSTGRES_DB}`);
  expect(POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  expect(Object.keys(compose.volumes)).toEqual(volumes?.map((volume) => volume.split(':')[0]));
});

test('HAProxy in compose.yaml gets its configuration, and the addresses that it reads from the environment', () => {
  const { environment, ports, volumes, healthcheck, image: name } = service('haproxy');
  const read = [...haproxy.matchAll(/\$\{(\w+)-/g)].map(([, variable]) => variable);
  const expected = { GATEWAY_1: `gateway-1:${settings['PORT']}`, GATEWAY_2: `gateway-2:${settings['PORT']}` };
  expect(environment).toEqual(expected);
  expect([...new Set(read)]).toEqual(['BIND', ...Object.keys(expected)]);
  const [, port] = /\$\{BIND-:(\d+)\}/.exec(haproxy) ?? [];
  expect(ports).toEqual([`127.0.0.1:${port}:${port}`]);
  expect(healthcheck?.test?.at(-1)).toContain(`/${port}`);
  expect(volumes).toEqual(['./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
  const [, version] = /Tested with HAProxy .*?(\d+\.\d+)\.\n/.exec(haproxy) ?? [];
  expect(name).toBe(`haproxy:${version}`);
});

test('both proxies listen on one port, and use the same two addresses by default', () => {
  const addresses = ['127.0.0.1:4001', '127.0.0.1:4002'];
  const found = (text: string) => [...new Set(text.match(/127\.0\.0\.1:\d+/g))];
  expect(found(haproxy)).toEqual(addresses);
  expect(found(nginx)).toEqual(addresses);
  expect(/\$\{BIND-:(\d+)\}/.exec(haproxy)?.[1]).toBe(/^ *listen (\d+);$/m.exec(nginx)?.[1]);
});

test('the unit starts the server in production, and gives it more time to stop than it needs', () => {
  const environment = Object.fromEntries(
    [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, k, v]) => [k, v]),
  );
  expect(environment).toMatchObject({ NODE_ENV: 'production', NODE_OPTIONS });
  expect(() => readConfig(environment)).not.toThrow();
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node \S+\/dist\/main\.js serve$/m);
  expect(seconds(/^TimeoutStopSec=(.*)$/m.exec(unit)?.[1])).toBeGreaterThan(STOP_DEADLINE_SECONDS);
});
