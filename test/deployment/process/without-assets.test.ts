import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '../../support/gateway.ts';
import { newerProgram } from '../../support/newer-program.ts';
import { browse, EVERYWHERE, linksIn } from '../../support/pages.ts';

test('without browser assets, the console has no URL, a setting that needs them stops the start, and all else is served', async () => {
  // A copy of the program leaves them out.
  const { start } = newerProgram();
  const settings = { PORT: '0', DATABASE_URL: (await testDatabase()).url };

  // Not the database of the demo, which refuses other accounts.
  const own = { DATABASE_URL: (await testDatabase()).url };
  const { status, stdout } = await start(['init', '--title', 'Acme', '--json'], own).ended;
  expect([status, JSON.parse(stdout).consoleUrl]).toEqual([0, '']);
  const running = start(['demo', '--json'], settings);
  onTestFinished(async () => void (await running.stop('SIGKILL')));
  for (const name of ['PAW_CONSOLE', 'PAW_EXPLORERS']) {
    const stderr = `paw: ${name}=on needs the browser assets. Run "npm run build".\n`;
    expect(await start(['serve'], { ...settings, [name]: 'on' }).ended).toMatchObject({
      ...{ status: 1, stdout: '', stderr },
    });
  }
  const { url } = JSON.parse(await running.printed('\n'));
  const links = [...EVERYWHERE.filter((path) => path !== '/docs'), '/graphql'];
  expect(linksIn((await browse(`${url}/`)).text)).toEqual(links.toSorted());
  expect((await browse(`${url}/graphiql`)).status).toBe(404);
});
