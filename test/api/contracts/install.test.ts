import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

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
