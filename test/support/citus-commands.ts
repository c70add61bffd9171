import { createRequire } from 'node:module';
import type { Client as PgClient } from 'pg';
import { vi } from 'vitest';

// The tests have a copy of the driver of their own.
const { Client }: { Client: typeof PgClient } = createRequire(
  new URL('../../src/server.ts', import.meta.url),
)('pg');

/** The setting of a database with which Citus reports its commands to the client. */
export const LOG_COMMANDS = 'citus.log_remote_commands = on';

const COMMAND = /^issuing (.*)$/s;
const NODE = /^on server \S+@(\S+) /;

/** Records the commands that Citus reports to the connections of this process. Returns a function that returns those so far. */
export function recordCommands(): () => readonly { readonly node: string; readonly text: string }[] {
  const commands: { node: string; text: string }[] = [];
  const { emit } = Client.prototype;
  vi.spyOn(Client.prototype, 'emit').mockImplementation(function (this: PgClient, ...args: unknown[]) {
    const [event, notice] = args as [string, { readonly message?: string; readonly detail?: string }];
    if (event === 'notice') {
      const [, text] = COMMAND.exec(notice.message ?? '') ?? [];
      const [, node] = NODE.exec(notice.detail ?? '') ?? [];
      if (text !== undefined && node !== undefined) commands.push({ node, text });
    }
    return Reflect.apply(emit, this, args);
  });
  return () => commands;
}
