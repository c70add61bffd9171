import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Settings, startProgram } from '../support/run-command.ts';
import type { Certificate } from './certificate.ts';

/** A reverse proxy with its shipped configuration, in front of two instances. */
export type ReverseProxy = {
  readonly url: string;
  /** Everything that it has logged, requests included. */
  log(): string;
  stop(): Promise<void>;
};

/** A kind of reverse proxy. */
export type ProxyKind = {
  readonly name: 'HAProxy' | 'nginx';
  /** Starts it on `port`, in front of the instances at the two ports. With a certificate, it serves TLS only. */
  start(port: number, instances: readonly [number, number], certificate?: Certificate): Promise<ReverseProxy>;
};

/** The words and the environment of a program. */
type Invocation = { readonly words: readonly string[]; readonly environment?: Settings };

// The log file of nginx, which cannot write to a pipe. HAProxy logs to standard output.
const ACCESS_LOG = 'access.log';

const shipped = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url)), 'utf8');

/** HAProxy reads the addresses from the environment, so the shipped file is used unchanged. */
export const haproxy: ProxyKind = {
  name: 'HAProxy',
  start: (port, [first, second], certificate) =>
    startProxy('haproxy', urlOf(port, certificate), (folder) => {
      const file = join(folder, 'haproxy.cfg');
      // Only root can change the user.
      const asRoot = process.getuid?.() === 0;
      const text = shipped('haproxy.cfg');
      writeFileSync(file, asRoot ? text : text.replace(/^ *(user|group) .*$/gm, ''));
      return {
        words: ['-db', '-f', file],
        environment: {
          BIND: `127.0.0.1:${port}`,
          GATEWAY_1: `127.0.0.1:${first}`,
          GATEWAY_2: `127.0.0.1:${second}`,
          ...(certificate && { CERTIFICATE: certificate.combinedFile }),
        },
      };
    }),
};

/** The shipped file of nginx is a part of a configuration. Its addresses are replaced in a copy. */
export const nginx: ProxyKind = {
  name: 'nginx',
  start: (port, [first, second], certificate) =>
    startProxy('nginx', urlOf(port, certificate), (folder) => {
      const listen = `listen 127.0.0.1:${port}`;
      const replacements = {
        'server 127.0.0.1:4001 ': `server 127.0.0.1:${first} `,
        'server 127.0.0.1:4002 ': `server 127.0.0.1:${second} `,
        '/var/log/nginx/paw-gateway.log': join(folder, ACCESS_LOG),
        ...(certificate
          ? {
              '  listen 8080;': '',
              '# listen 8443 ssl;': `${listen} ssl;`,
              '# ssl_certificate /etc/nginx/paw-gateway.pem;': `ssl_certificate ${certificate.file};`,
              '# ssl_certificate_key /etc/nginx/paw-gateway.key;': `ssl_certificate_key ${certificate.keyFile};`,
              '# ssl_protocols': 'ssl_protocols',
            }
          : { 'listen 8080;': `${listen};` }),
      };
      let text = shipped('nginx.conf');
      for (const [part, replacement] of Object.entries(replacements)) {
        if (text.split(part).length !== 2) throw new Error(`nginx.conf has no "${part}".`);
        text = text.replace(part, replacement);
      }
      writeFileSync(join(folder, 'paw-gateway.conf'), text);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      // As where nginx also serves other sites.
      const compression = 'gzip on; gzip_proxied any; gzip_min_length 1; gzip_types application/json;';
      const http = [...temporary, compression, `include ${folder}/paw-gateway.conf;`].join('\n');
      const file = join(folder, 'nginx.conf');
      const main = `daemon off;\npid ${folder}/nginx.pid;\nerror_log stderr notice;\nevents {}\n`;
      writeFileSync(file, `${main}http {\n${http}\n}`);
      return { words: ['-p', folder, '-c', file] };
    }),
};

const urlOf = (port: number, certificate: Certificate | undefined) =>
  `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`;

async function startProxy(
  program: string,
  url: string,
  configure: (folder: string) => Invocation,
): Promise<ReverseProxy> {
  await using opening = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-proxy-'));
  opening.defer(() => rmSync(folder, { recursive: true, force: true }));
  // The proxies drop root privileges.
  chmodSync(folder, 0o755);
  const { words, environment = {} } = configure(folder);
  // Debian installs both in a folder that only root has in its PATH.
  const env = { PATH: `${process.env['PATH']}:/usr/sbin`, ...environment };
  const running = startProgram('/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', program, ...words], env);
  opening.defer(async () => void (await running.stop('SIGTERM')));
  let isOver = false;
  void running.ended.finally(() => {
    isOver = true;
  });
  while ((await fetch(`${url}/healthz`).catch(() => undefined)) === undefined) {
    if (isOver) throw new Error(`${program} has ended: ${running.output()}`);
    await delay(20);
  }
  const open = opening.move();
  return {
    url,
    log() {
      const accessLog = join(folder, ACCESS_LOG);
      return running.output() + (existsSync(accessLog) ? readFileSync(accessLog, 'utf8') : '');
    },
    stop: () => open.disposeAsync(),
  };
}
