import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../../support/run-command.ts';

const ROOT = join(import.meta.dirname, '../../..');

// The packages of the tests also contain some of the gateway's, which hide its copies.
test('the tests import the packages that the gateway runs on', () => {
  const [own, gateways] = ['test/', ''].map((folder) => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8'));
    return (name: string): unknown => packages[`node_modules/${name}`]?.version;
  });
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const names = [...Object.keys(dependencies), 'yaml'];
  expect(names).toContain('graphql');
  expect(names.filter((name) => own?.(name) !== undefined && own(name) !== gateways?.(name))).toEqual([]);
});

test('the npm scripts run programs of Node, without the syntax of a shell, so that cmd.exe runs them, too', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const commands = Object.values<string>(scripts).flatMap((script) => script.split(' && '));
  expect(commands).toContain('node src/main.js demo');
  expect(commands.filter((command) => !/^(?:node|npm|tsc|vitest)(?: [^'$;|<>]*)?$/.test(command))).toEqual(
    [],
  );
});

// `npm ci --ignore-scripts` and `--omit=dev` leave out the Node of the development dependencies.
test('with an older Node, each npm script ends with one line that says so', async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const olderNode =
    "--import=data:text/javascript,Object.defineProperty(process.versions,'node',{value:'24.6.0'})";
  const settings = { PATH: String(process.env['PATH']), NODE_OPTIONS: olderNode };
  const stderr = 'paw: Node 24.7 or newer is required; this is Node 24.6.0.\n';
  for (const [name, script] of Object.entries<string>(scripts)) {
    const [command = ''] = script.split(' && ');
    // Another script, which is checked itself.
    if (command.startsWith('npm run')) continue;
    const result = await startProgram('/bin/sh', ['-c', command], settings, ROOT).ended;
    expect({ name, ...result }).toEqual({ name, status: 1, stdout: '', stderr });
  }
  // An older version can parse it.
  expect(readFileSync(join(ROOT, 'src/node-version.js'), 'utf8')).not.toMatch(/\b(?:import|await)\b|\?[.?]/);
});
