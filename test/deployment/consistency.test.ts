import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { Job } from 'kubernetes-types/batch/v1.d.ts';
import type { Container, Service as KubernetesService, PodSpec } from 'kubernetes-types/core/v1.d.ts';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { DOCKERFILE, lastOf, readDockerfile, variablesOf } from '../../tools/deploy/dockerfile.ts';

type Service = {
  readonly build?: object;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
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
const manifests = parseAllDocuments(textOf('kubernetes.yaml')).map((document) => document.toJS());
const [job, deployment, budget, kubernetesService] = manifests as [
  Job,
  Deployment,
  PodDisruptionBudget,
  KubernetesService,
];
const stages = readDockerfile(DOCKERFILE);
const image = stages.at(-1);
if (image === undefined) throw new Error('The Dockerfile has no stage.');
const { NODE_OPTIONS, MALLOC_MMAP_THRESHOLD_: _, ...settings } = variablesOf(image);
const unit = textOf('paw-gateway@.service');
const haproxy = textOf('haproxy.cfg');

function service(name: string): Service {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`compose.yaml has no service ${name}.`);
  return found;
}

const seconds = (text: string | undefined) => Number(/^(\d+)s$/.exec(text ?? '')?.[1]);

test('all stages use the slim image of the Node that the tests run on', () => {
  const { devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const [major] = devDependencies.node.split('.');
  const tags = stages.map((stage) => stage.image.replace(/@sha256:[0-9a-f]{64}$/, ''));
  expect(tags).toEqual(stages.map(() => `node:${major}-bookworm-slim`));
});

test('the image runs the server in production as a user other than root', () => {
  expect(readConfig(settings)).toMatchObject({ host: '0.0.0.0', port: Number(lastOf(image, 'EXPOSE')) });
  expect(settings['NODE_ENV']).toBe('production');
  expect(lastOf(image, 'USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(settings['DATABASE_URL']).toBe(`sqlite:${lastOf(image, 'VOLUME')}/paw.db`);
});

test('the build context contains only files that exist, and no database, secret or local build', () => {
  const lines = readFileSync(`${ROOT}.dockerignore`, 'utf8').split('\n');
  const [first, ...patterns] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect(first).toBe('*');
  const included = patterns.flatMap((pattern) => /^!(.*)/.exec(pattern)?.[1] ?? []);
  expect(included.filter((path) => !existsSync(ROOT + path))).toEqual([]);
  const excluded = ['.env', '.git', 'data', 'deploy', 'dist', 'node_modules'];
  expect(included.filter((path) => excluded.includes(path))).toEqual([]);
});

test('every gateway of compose.yaml has valid settings and enough time to stop', () => {
  for (const name of ['migrate', 'gateway']) {
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

test('HAProxy and the gateways of compose.yaml can change no file and gain no privilege', () => {
  const restrictions = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
  for (const name of ['migrate', 'gateway', 'haproxy']) {
    expect(service(name)).toMatchObject(restrictions);
  }
});

test('the database of compose.yaml is the one of DATABASE_URL, and no file contains a password', () => {
  const { environment = {}, volumes } = service('postgres');
  const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = environment;
  const url = service('gateway').environment?.['DATABASE_URL'];
  expect(url).toMatch(new RegExp(`^postgres://${POSTGRES_USER}@postgres(:\\d+)?/${POSTGRES_DB}$`));
  expect(POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  expect(Object.keys(compose.volumes)).toEqual(volumes?.map((volume) => volume.split(':')[0]));
});

test('HAProxy in compose.yaml listens at the port that is published, and finds the gateways', () => {
  const { environment, ports } = service('haproxy');
  const [, port] = /\$\{BIND-:(\d+)\}/.exec(haproxy) ?? [];
  expect(environment).toEqual({ GATEWAYS: `gateway:${settings['PORT']}` });
  expect(ports).toEqual([`127.0.0.1:${port}:${port}`]);
});

test('the unit starts instances in production, on the ports of the proxies and of Prometheus, with time to stop', () => {
  const { scrape_configs } = parse(textOf('prometheus.yml'));
  for (const n of [1, 2]) {
    const lines = [...unit.replaceAll('%i', String(n)).matchAll(/^Environment=(\w+)=(.*)$/gm)];
    const environment = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
    expect(environment).toMatchObject({ NODE_ENV: 'production', NODE_OPTIONS });
    const { port, metricsPort, createDatabase } = readConfig(environment);
    expect(createDatabase).toBe(false);
    expect(haproxy).toContain(`\${GATEWAY_${n}-127.0.0.1:${port}}`);
    expect(scrape_configs[0].static_configs[0].targets[n - 1]).toBe(`127.0.0.1:${metricsPort}`);
  }
  // A `-` before the path would let it start without its settings.
  expect(unit).toMatch(/^EnvironmentFile=\/etc\/paw-gateway\/environment$/m);
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/env node \S+\/dist\/main\.js serve$/m);
  expect(seconds(/^TimeoutStopSec=(.*)$/m.exec(unit)?.[1])).toBeGreaterThan(STOP_DEADLINE_SECONDS);
});

test('Kubernetes has every field of kubernetes.yaml', () => {
  const folder = `${ROOT}test/node_modules/.cache/kubernetes-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const typed = manifests.map(({ apiVersion, kind }, n) => {
    const group = apiVersion === 'v1' ? 'core/v1' : apiVersion;
    return `export const m${n}: import('kubernetes-types/${group}.d.ts').${kind} = ${JSON.stringify(manifests[n])};`;
  });
  writeFileSync(`${folder}/manifests.ts`, typed.join('\n'));
  const words = ['--ignoreConfig', '--noEmit', '--strict', '--types', '', `${folder}/manifests.ts`];
  const { status, stdout } = spawnSync(`${ROOT}node_modules/.bin/tsc`, words, {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

test('the pods of kubernetes.yaml run this version without privileges, with the database of a Secret', () => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  for (const [pod, command] of [
    [job.spec?.template.spec, 'migrate'],
    [deployment.spec?.template.spec, 'serve'],
  ] as const) {
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true });
    const secret = { secretKeyRef: { name: 'paw-gateway', key: 'DATABASE_URL' } };
    expect(containerOf(pod)).toMatchObject({
      image: expect.stringMatching(new RegExp(`/paw-gateway:${RegExp.escape(version)}$`)),
      args: [command],
      env: expect.arrayContaining([{ name: 'DATABASE_URL', valueFrom: secret }]),
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
      resources: { limits: { memory: expect.any(String) } },
    });
  }
});

test('Kubernetes drains the gateways one at a time', () => {
  const { replicas = 0, selector } = deployment.spec ?? {};
  expect(budget.spec?.selector).toEqual(selector);
  expect(budget.spec?.maxUnavailable).toBeLessThan(replicas);
});

test('the Deployment of kubernetes.yaml has valid settings, ports, checks and enough time to stop', () => {
  const { spec: pod, metadata: { labels } = {} } = deployment.spec?.template ?? {};
  const container = containerOf(pod);
  const plain = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
  const { host, metricsPort, port, stopDelaySeconds } = readConfig({ ...settings, ...plain });
  expect(host).toBe('0.0.0.0');
  const probe = (path: string) => ({ httpGet: { port: 'http', path } });
  expect(container).toMatchObject({
    ports: [
      { name: 'http', containerPort: port },
      { name: 'metrics', containerPort: metricsPort },
    ],
    startupProbe: probe('/healthz'),
    livenessProbe: probe('/healthz'),
    readinessProbe: probe('/readyz'),
  });
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(stopDelaySeconds + STOP_DEADLINE_SECONDS);
  expect(deployment.spec?.selector.matchLabels).toEqual(labels);
  expect(kubernetesService.spec).toMatchObject({ selector: labels, ports: [{ targetPort: 'http' }] });
  expect(job.spec?.template.metadata?.labels).not.toEqual(labels);
});

function containerOf(pod: PodSpec | undefined): Container {
  const [container] = pod?.containers ?? [];
  if (container === undefined) throw new Error('kubernetes.yaml has a pod without a container.');
  return container;
}
