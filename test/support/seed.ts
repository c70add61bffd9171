import { randomInt } from 'node:crypto';

/** The seed of the random tests: PAW_TEST_SEED, or a random number. A test that fails prints it. */
export const SEED = Number(process.env['PAW_TEST_SEED'] ?? randomInt(2 ** 31));
