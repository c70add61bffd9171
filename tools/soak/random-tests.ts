import { execFileSync } from 'node:child_process';

// Runs the random tests, power cuts and kills many more times than the night does.

const COUNTS = {
  PAW_TEST_POWER_CUTS: '300',
  PAW_TEST_KILLS: '50',
  PAW_TEST_STOPS: '25',
  PAW_TEST_MODEL_STEPS: '100000',
  PAW_TEST_FUZZ_REQUESTS: '200000',
};

const TAGS = ['power-cuts', 'kills', 'model', 'fuzz'].map((part) => `night/${part}`).join(' or ');

execFileSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--experimental.preParse', `--tags-filter=${TAGS}`],
  { env: { ...process.env, ...COUNTS }, stdio: 'inherit' },
);
