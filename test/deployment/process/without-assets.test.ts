import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testDatabase, testFolder } from '../../support/gateway.ts';
import { browse, EVERYWHERE, linksIn } from '../../support/pages.ts';
import { startProgram } from '../../support/run-command.ts';

test('without browser assets, the console has no URL, a setting that needs them stops the start, and all else is served', async () => {
  const folder = testFolder();
  const isBuilt = /pages[\\/]assets$/;
  cpSync('src', join(folder, 'src'), { recursive: true, filter: (path) => !isBuilt.test(path) });
  for (const name of ['docs', 'node_modules', 'package.json', 'schema']) {
    symlinkSync(resolve(name), join(folder, name));
  }
  const database = await testDatabase();
  const start = (words: readonly string[], settings = {}) =>
    startProgram(
      process.execPath,
      [join(folder, 'src', 'main.js'), ...words],
      { PORT: '0', DATABASE_URL: database.url, ...settings },
      folder,
    );

  // Not the one of the demo, which refuses other accounts.
  const own = { DATABASE_URL: (await testDatabase()).url };
  const { status, stdout } = await start(['init', '--title', 'Acme', '--json'], own).ended;
  expect([status, JSON.parse(stdout).consoleUrl]).toEqual([0, '']);
  const running = start(['demo', '--json']);
  onTestFinished(async () => void (await running.stop('SIGKILL')));
  for (const name of ['PAW_CONSOLE', 'PAW_EXPLORERS']) {
    const stderr = `paw: ${name}=on needs the browser assets. Run "npm run build".\n`;
    expect(await start(['serve'], { [name]: 'on' }).ended).toMatchObject({ status: 1, stdout: '', stderr });
  }
  const { url } = JSON.parse(await running.printed('\n'));
  const links = [...EVERYWHERE.filter((path) => path !== '/docs'), '/graphql'];
  expect(linksIn((await browse(`${url}/`)).text)).toEqual(links.toSorted());
  expect((await browse(`${url}/graphiql`)).status).toBe(404);
});
