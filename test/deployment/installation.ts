import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Running, type Settings, startProgram } from '../support/run-command.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

// The deadlines of the default. `startProgram` would make them long, and the start faster than after an installation.
const IN_PRODUCTION = {
  NODE_ENV: 'production',
  PAW_REQUEST_TIMEOUT: '',
  PAW_POSTGRES_TIMEOUT: '',
  NODE_COMPILE_CACHE: '',
};

/**
 * The versions of the program on one machine, as docs/production.md installs them: each in a folder of its own, beside a
 * link to the one that runs.
 */
export class Installation {
  readonly #folder: string;

  /** @param folder an empty folder */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Packs this version and those of `tools/deploy/next-releases.sh`, installs them, and returns them in order. */
  install(): [string, string, string] {
    const run = (program: string, ...words: string[]) =>
      execFileSync(program, words, { cwd: ROOT, encoding: 'utf8' }).trim();
    const installed = (file: string) => {
      const version = file.replace(/^paw-gateway-(.+)\.tgz$/, '$1');
      run('npm', 'install', '--silent', '--prefix', join(this.#folder, version), join(this.#folder, file));
      return version;
    };
    run('npm', 'run', '--silent', 'package');
    const packed = run('npm', 'pack', '--silent', '--pack-destination', this.#folder, './package');
    const next = run('tools/deploy/next-releases.sh', join(this.#folder, packed), this.#folder);
    const [second = '', third = ''] = next.split('\n');
    return [installed(packed), installed(second), installed(third)];
  }

  /** Makes a version the one that is started next. */
  use(version: string): void {
    execFileSync('ln', ['-sfn', version, join(this.#folder, 'current')]);
  }

  /** Starts a server of the version in use. */
  serve(settings: Settings): Running {
    return this.#start('current', ['serve'], settings);
  }

  /** Runs a command of a version. */
  async run(version: string, words: readonly string[], settings: Settings): Promise<void> {
    const result = await this.#start(version, words, settings).ended;
    expect(result).toMatchObject({ status: 0, stderr: '' });
  }

  #start(version: string, words: readonly string[], settings: Settings): Running {
    const program = join(this.#folder, version, 'node_modules/paw-gateway/dist/main.js');
    const environment = { HOME: this.#folder, ...IN_PRODUCTION, ...settings };
    return startProgram(process.execPath, [program, ...words], environment, this.#folder);
  }
}
