import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSchema, schemaDocument } from '../../../src/graphql/schema.ts';

/** The result of a program. */
export type Result = {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** The compiler program. */
export const COMPILER = fileURLToPath(import.meta.resolve('relay-compiler/cli.js'));
const CONFIG = new URL('relay.config.json', import.meta.url);

/** Compiles the app in `src` against the contract, with the configuration of this folder. */
export async function compile(src: string, ...options: readonly string[]): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'paw-relay-'));
  try {
    const schema = join(folder, 'schema.graphql');
    const config = { ...JSON.parse(readFileSync(CONFIG, 'utf8')), src, schema };
    // The compiler treats `extend type` as a client schema extension, and would not send its fields.
    writeFileSync(schema, schemaDocument(createSchema()));
    writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(config));
    return await run(folder, [COMPILER, '--noWatchman', ...options]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a Node program in a folder until it ends. Its only environment variables are `env`. */
export function run(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd, env }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
  });
}

if (import.meta.main) {
  const { status, stdout, stderr } = await compile(import.meta.dirname);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status;
}
