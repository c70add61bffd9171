/**
 * Runs the steps of `deploy/Dockerfile` without a container engine: each stage in an empty folder, with
 * absolute paths of the image changed to paths in that folder. Then it starts the program as the image
 * does, runs the health check, and stops it.
 *
 * It differs from a container in the base image, which is this machine with the Node that runs this script,
 * and in the user, which is that of the Dockerfile only if this script runs as root.
 */
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOCKERFILE, lastOf, readDockerfile, type Stage, variablesOf } from './dockerfile.ts';

type Built = {
  readonly stage: Stage;
  /** The folder that stands for `/` of the image. */
  readonly root: string;
  readonly workdir: string;
  /** Changes the absolute paths of the image in a text. */
  inRoot(text: string): string;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const IS_ROOT = process.getuid?.() === 0;
const NODE_FOLDER = dirname(process.execPath);

// Instructions that only describe the image.
const DECLARATIONS = ['CMD', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'HEALTHCHECK', 'USER', 'VOLUME'];

const work = mkdtempSync(join(tmpdir(), 'paw-dockerfile-'));
// The user of the image reads what is in it.
chmodSync(work, 0o755);
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

const stages = readDockerfile(DOCKERFILE);
const built = new Map<string, Built>();
for (const [index, stage] of stages.entries()) built.set(stage.name ?? 'image', build(stage, `${index}`));
const image = built.get('image');
assert(image !== undefined, 'The last stage has no name.');
await tryImage(image);

function build(stage: Stage, folder: string): Built {
  const major = Number(/^node:(\d+)-/.exec(stage.image)?.[1]);
  assert(major === Number(process.versions.node.split('.')[0]), `This is not the Node of ${stage.image}.`);
  const root = join(work, folder);
  mkdirSync(root);
  const folders = stage.instructions.flatMap(({ keyword, text }) =>
    keyword === 'WORKDIR' || keyword === 'VOLUME' ? [text] : [],
  );
  const inRoot = (text: string) =>
    folders.reduce(
      (changed, path) => changed.replaceAll(new RegExp(`(?<![\\w.])${path}\\b`, 'g'), root + path),
      text,
    );
  let workdir = root;
  for (const { keyword, text } of stage.instructions) {
    if (DECLARATIONS.includes(keyword)) continue;
    console.log(`${keyword} ${text}`);
    if (keyword === 'WORKDIR') {
      workdir = inRoot(text);
      mkdirSync(workdir, { recursive: true });
    } else if (keyword === 'COPY') {
      copy(text, workdir);
    } else if (keyword === 'RUN') {
      const { status } = spawnSync('/bin/sh', ['-c', asOwnUser(inRoot(text))], {
        cwd: workdir,
        env: { ...outerEnvironment(), ...variablesOf(stage) },
        stdio: 'inherit',
      });
      assert(status === 0, `It ended with ${status}.`);
    } else {
      throw new Error(`This script does not know ${keyword}.`);
    }
  }
  return { stage, root, workdir, inRoot };
}

function copy(text: string, workdir: string): void {
  const words = text.split(/\s+/);
  const from = words[0]?.startsWith('--from=')
    ? built.get(words.shift()?.slice('--from='.length) ?? '')
    : undefined;
  const target = words.pop() ?? '';
  for (const source of words) {
    const path = from === undefined ? join(ROOT, source) : from.inRoot(source);
    const isFolder = statSync(path).isDirectory();
    const into =
      !isFolder && target.endsWith('/') ? join(workdir, target, basename(source)) : join(workdir, target);
    const filter = from === undefined ? isInContext : () => true;
    assert(filter(path), `${source} is not in the build context.`);
    cpSync(path, !isFolder && target === './' ? join(workdir, basename(source)) : into, {
      recursive: true,
      verbatimSymlinks: true,
      filter,
    });
  }
}

/** Whether `.dockerignore` leaves a file or folder in the build context. The last pattern that matches decides. */
function isInContext(path: string): boolean {
  const name = relative(ROOT, path);
  if (name === '') return true;
  const patterns = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  let included = true;
  for (const pattern of patterns) {
    const excepts = pattern.startsWith('!');
    const glob = pattern.replace('!', '');
    if (matchesGlob(name, glob) || name.startsWith(`${glob}/`) || (glob === '*' && !excepts))
      included = excepts;
    // A folder is read if anything in it is included.
    else if (excepts && glob.startsWith(`${name}/`) && statSync(path).isDirectory()) included = true;
  }
  return included;
}

async function tryImage({ stage, workdir, inRoot, root }: Built): Promise<void> {
  const words = (keyword: string, text = lastOf(stage, keyword)): string[] => JSON.parse(text ?? '');
  const [, healthCheck] = lastOf(stage, 'HEALTHCHECK')?.split(/ CMD /) ?? [];
  const port = await freePort();
  const home = join(root, 'home');
  mkdirSync(home);
  const settings = Object.entries(variablesOf(stage)).map(([name, value]) => [name, inRoot(value)]);
  const env = {
    ...Object.fromEntries(settings),
    PATH: `${NODE_FOLDER}:/usr/bin:/bin`,
    HOME: home,
    PORT: `${port}`,
  };
  const [uid, gid] = (lastOf(stage, 'USER') ?? '').split(':').map(Number);
  assert(uid !== undefined && uid > 0 && gid !== undefined && gid > 0, 'The image has a user by number.');
  const options: SpawnOptions = { cwd: workdir, env, ...(IS_ROOT && { uid, gid }) };
  const run = (command: readonly string[]) =>
    spawnSync(command[0] ?? '', command.slice(1).map(inRoot), { ...options, encoding: 'utf8' });
  const entrypoint = words('ENTRYPOINT');
  const check = () => run(words('', healthCheck)).status;

  for (const development of ['typescript', 'vitest', 'esbuild', 'node']) {
    assert(!existsSync(join(workdir, 'node_modules', development)), `The image contains ${development}.`);
  }
  console.log(run(['du', '-sh', workdir]).stdout);
  assert(run(entrypoint.concat('--version')).status === 0, 'The image prints its version.');
  const missing = run([...entrypoint, ...words('CMD')]);
  assert(
    missing.status === 1 && /paw migrate/.test(missing.stderr),
    'Without a database the start names the command.',
  );
  const migrated = run(entrypoint.concat('migrate'));
  assert(migrated.status === 0, `paw migrate succeeds: ${migrated.stderr}`);
  assert(check() === 1, 'The health check fails while nothing listens.');

  const [program = '', ...rest] = [...entrypoint, ...words('CMD')];
  const server = spawn(program, rest.map(inRoot), { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  let log = '';
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('close', (code) => reject(new Error(`The server ended with ${code}.`)));
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('listening on')) resolve();
    });
  });
  try {
    await listening;
    assert(check() === 0, 'The health check succeeds while the server runs.');
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    assert(ready.status === 200, 'The server is ready.');
    server.kill('SIGTERM');
    const [code] = await once(server, 'close');
    assert(code === 0 && log.includes('"stopping"'), 'SIGTERM stops the server, with status 0.');
  } finally {
    server.kill('SIGKILL');
  }
}

/** The environment for RUN: that of this machine, for proxies and registries, without settings of Node. */
function outerEnvironment(): NodeJS.ProcessEnv {
  const { NODE_ENV, NODE_OPTIONS, CI, ...environment } = process.env;
  return { ...environment, PATH: `${NODE_FOLDER}:${process.env['PATH']}` };
}

/** Without root, files can be given only to the own user. */
function asOwnUser(command: string): string {
  return IS_ROOT
    ? command
    : command.replace('chown 1000:1000', `chown ${process.getuid?.()}:${process.getgid?.()}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function assert(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new Error(`Not so: ${expectation}`);
  if (/^(The|Without|paw|SIGTERM)/.test(expectation)) console.log(`ok: ${expectation}`);
}
