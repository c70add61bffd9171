/**
 * Runs the steps of `deploy/Dockerfile` without a container engine: each stage in an empty folder, with the
 * absolute paths of the image changed to paths in that folder. Then it starts the program as the image does,
 * runs the health check, and stops the program.
 *
 * Two things differ from a container: the base image is this machine with the Node that runs this script, and
 * the user of the image is used only if root runs this script.
 */
import assert from 'node:assert/strict';
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
import { tmpdir } from 'node:os';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/free-port.ts';
import { DOCKERFILE, lastOf, readDockerfile, type Stage, variablesOf } from './dockerfile.ts';

/** A stage whose steps have been run. */
type BuiltStage = {
  readonly stage: Stage;
  /** The folder that stands for `/` of the image. */
  readonly root: string;
  readonly workdir: string;
  /** Changes the absolute paths of the image in a text. */
  inRoot(text: string): string;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const IS_ROOT = process.getuid?.() === 0;

// The Node that runs this script is the one of the image.
const NODE_FOLDER = dirname(process.execPath);

// The folder of the image in which programs are found. The others are those that the Dockerfile names.
const PROGRAMS = '/usr/local/bin';

// Packages that only development needs.
const DEVELOPMENT = ['@types/react', 'esbuild', 'graphiql', 'node', 'typescript', 'vitest'];

const IGNORED = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const work = mkdtempSync(join(tmpdir(), 'paw-dockerfile-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
// The user of the image reads what it contains.
chmodSync(work, 0o755);

const stages: BuiltStage[] = [];
for (const stage of readDockerfile(DOCKERFILE)) stages.push(build(stage, join(work, String(stages.length))));
const image = stages.at(-1);
assert.ok(image);
await tryImage(image);

function build(stage: Stage, root: string): BuiltStage {
  assert.equal(/^node:(\d+)-/.exec(stage.image)?.[1], process.versions.node.split('.')[0]);
  mkdirSync(join(root, PROGRAMS), { recursive: true });
  const named = stage.instructions
    .filter(({ keyword }) => keyword === 'WORKDIR' || keyword === 'VOLUME')
    .map(({ text }) => text);
  const folders = [PROGRAMS, ...named].map((folder) => new RegExp(`(?<![\\w.])${folder}\\b`, 'g'));
  const inRoot = (text: string) => folders.reduce((all, folder) => all.replace(folder, `${root}$&`), text);
  let workdir = root;
  for (const { keyword, text } of stage.instructions) {
    switch (keyword) {
      case 'WORKDIR':
        workdir = inRoot(text);
        mkdirSync(workdir);
        break;
      case 'COPY':
        printStep(keyword, text);
        copy(text, workdir);
        break;
      case 'RUN':
        printStep(keyword, text);
        run(inRoot(text), workdir, variablesOf(stage));
        break;
      default:
        // These describe the image.
        assert.match(keyword, /^(CMD|ENTRYPOINT|ENV|EXPOSE|HEALTHCHECK|USER|VOLUME)$/);
    }
  }
  return { stage, root, workdir, inRoot };
}

function copy(text: string, workdir: string): void {
  const [, stageName, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(text) ?? [];
  const from = stages.find(({ stage }) => stageName !== undefined && stage.name === stageName);
  const sources = paths.split(' ');
  const target = sources.pop() ?? '';
  for (const source of sources) {
    const path = from === undefined ? join(ROOT, source) : from.inRoot(source);
    const filter = from === undefined ? isInContext : () => true;
    assert.ok(filter(path), `${source} is not in the build context.`);
    // As in a container, a file is copied into a target that ends with a slash, and a folder without its name.
    const name = target.endsWith('/') && !statSync(path).isDirectory() ? basename(source) : '';
    cpSync(path, join(workdir, target, name), { recursive: true, verbatimSymlinks: true, filter });
  }
}

/** Whether `.dockerignore` leaves a file or folder in the build context. The last pattern that matches decides. */
function isInContext(path: string): boolean {
  const name = relative(ROOT, path);
  if (name === '') return true;
  let included = true;
  for (const pattern of IGNORED) {
    const isException = pattern.startsWith('!');
    const glob = isException ? pattern.slice(1) : pattern;
    const parents = name.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
    if (parents.some((parent) => matchesGlob(parent, glob))) included = isException;
    // A folder is read if it contains an exception.
    else if (isException && glob.startsWith(`${name}/`)) included = true;
  }
  return included;
}

function run(command: string, cwd: string, variables: Readonly<Record<string, string>>): void {
  // The variables of this machine may name a proxy or registry. Those of Node are the image's own.
  const { NODE_ENV, NODE_OPTIONS, ...outer } = process.env;
  const env = { ...outer, ...variables, PATH: `${NODE_FOLDER}:${outer['PATH']}` };
  // Only root can give a file to another user.
  const own = `${process.getuid?.()}:${process.getgid?.()}`;
  const words = IS_ROOT ? command : command.replace(/chown \d+:\d+/, `chown ${own}`);
  assert.equal(spawnSync('/bin/sh', ['-c', words], { cwd, env, stdio: 'inherit' }).status, 0);
}

async function tryImage({ stage, root, workdir, inRoot }: BuiltStage): Promise<void> {
  const words = (text = '') => (JSON.parse(text) as string[]).map(inRoot);
  const entrypoint = words(lastOf(stage, 'ENTRYPOINT'));
  const command = words(lastOf(stage, 'CMD'));
  const healthCheck = words(lastOf(stage, 'HEALTHCHECK')?.split(' CMD ')[1]);
  const [uid = 0, gid = 0] = (lastOf(stage, 'USER') ?? '').split(':').map(Number);
  const variables = Object.entries(variablesOf(stage)).map(([name, value]) => [name, inRoot(value)]);
  const port = String(await freePort());
  const home = join(root, 'home');
  mkdirSync(home);
  const options: SpawnOptions = {
    cwd: workdir,
    env: {
      ...Object.fromEntries(variables),
      PATH: `${inRoot(PROGRAMS)}:${NODE_FOLDER}:/usr/bin:/bin`,
      HOME: home,
      PORT: port,
    },
    ...(IS_ROOT && { uid, gid }),
  };
  const call = ([program = '', ...args]: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' });
    return { status, stdout: String(stdout), stderr: String(stderr) };
  };

  printStep('The image contains no package of development');
  assert.deepEqual(
    DEVELOPMENT.filter((name) => existsSync(join(workdir, 'node_modules', name))),
    [],
  );
  console.log(`${call(['du', '-sm', workdir]).stdout.split('\t')[0]} MB`);
  printStep('Without a database, the start fails and names the command');
  const refusal = call([...entrypoint, ...command]);
  assert.equal(refusal.status, 1);
  assert.match(refusal.stderr, /^paw: .*Run "paw migrate"\.\n$/);
  printStep('The command migrates the database in the volume');
  assert.deepEqual({ ...call(['paw', 'migrate']), stdout: '' }, { status: 0, stdout: '', stderr: '' });
  assert.ok(existsSync(inRoot(`${lastOf(stage, 'VOLUME')}/paw.db`)));
  printStep('The health check fails while nothing listens');
  assert.equal(call(healthCheck).status, 1);

  printStep('The server listens, the health check succeeds, and SIGTERM stops the server with status 0');
  const isHealthy = async () => {
    assert.equal(call(healthCheck).status, 0);
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
  };
  const log = await serve([...entrypoint, ...command], options, 'listening on', isHealthy);
  assert.match(log.at(-1) ?? '', /"stopped"/);
  printStep('Without NODE_ENV, the image runs the demo');
  const demoOptions = { ...options, env: { ...options.env, NODE_ENV: '' } };
  await serve([...entrypoint, 'demo'], demoOptions, 'Stop with', isHealthy);
}

/** Starts a server, calls a function when the server prints a text, and stops the server. Returns the lines that it printed. */
async function serve(
  [program = '', ...args]: readonly string[],
  options: SpawnOptions,
  text: string,
  check: () => Promise<void>,
): Promise<readonly string[]> {
  const server = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(server.stdout);
  const ended = once(server, 'close');
  const lines: string[] = [];
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      lines.push(line);
      if (!line.includes(text)) continue;
      await check();
      server.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null]);
    return lines;
  } finally {
    server.kill('SIGKILL');
  }
}

function printStep(...words: readonly string[]): void {
  console.log(`-- ${words.join(' ')}`);
}
