// @module-tag conformance

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { send } from '../support/both-apis.ts';
import { conforms } from '../support/conformance.ts';
import { testFolder, useGateway, useTenant } from '../support/gateway.ts';
import { MISSING_WALLET } from '../support/requests.ts';
import { rowsOf } from '../support/rows.ts';
import { startProgram } from '../support/run-command.ts';

const REDOCLY = fileURLToPath(new URL('../node_modules/.bin/redocly', import.meta.url));
const FILE = 'four-operations.arazzo.yaml';
const STEPS = ['list', 'update', 'create', 'signIn', 'listWithProjectToken'];

type Step = {
  readonly stepId: string;
  readonly checks: readonly { readonly name: string; readonly passed: boolean }[];
};

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 3, wallets: 1 });

test('the workflow runs the four operations, and each response is as the contract says', async () => {
  const { status, steps } = await respect(String(tenant.wallets[0]));
  expect(status).toBe(0);
  expect(steps.map(({ stepId }) => stepId)).toEqual(STEPS);
  for (const { stepId, checks } of steps) {
    expect(checks, stepId).toContainEqual(expect.objectContaining({ name: 'schema check', passed: true }));
    expect(checks.filter(({ passed }) => !passed)).toEqual([]);
  }
  expect(await rowsOf(gateway.database, 'app')).toMatchObject([{ title: 'Till' }]);
  expect(await rowsOf(gateway.database, 'wallet')).toMatchObject([{ title: 'Treasury' }]);
  conforms('respect', steps.flatMap(({ checks }) => checks).length);
});

test('the workflow ends at a response that is not as expected', async () => {
  const { status, steps } = await respect(MISSING_WALLET);
  expect(status).toBe(1);
  const failed = steps.filter(({ checks }) => checks.some(({ passed }) => !passed));
  expect(failed.map(({ stepId }) => stepId)).toEqual(['update']);
});

/** Runs the workflow, as the gateway serves it, by Redocly. */
async function respect(wallet: string): Promise<{ status: number | null; steps: readonly Step[] }> {
  const folder = testFolder();
  const { headers, text } = await send(`${gateway.url}/${FILE}`, 'GET');
  expect(headers.get('content-type')).toBe('application/yaml; charset=utf-8');
  writeFileSync(join(folder, FILE), text);
  const inputs = [`--input=token=${tenant.token}`, `--input=wallet=${wallet}`];
  const words = [REDOCLY, 'respect', FILE, ...inputs, '--json-output=result.json'];
  const { status } = await startProgram(process.execPath, words, {}, folder).ended;
  const { files } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
  return { status, steps: files[FILE].executedWorkflows[0].executedSteps };
}
