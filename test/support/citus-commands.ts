import type { Client } from 'pg';
import { vi } from 'vitest';
import { GatewayClient } from './engine.ts';

/** The setting of a database with which Citus reports its commands to the client. */
export const LOG_COMMANDS = 'citus.log_remote_commands = on';

const COMMAND = /^issuing (.*)$/s;
const NODE = /^on server \S+@(\S+) /;

/** Records the commands that Citus reports to the connections of this process. Returns a function that returns those so far. */
export function recordCommands(): () => readonly { readonly node: string; readonly text: string }[] {
  const commands: { node: string; text: string }[] = [];
  const { emit } = GatewayClient.prototype;
  vi.spyOn(GatewayClient.prototype, 'emit').mockImplementation(function (this: Client, ...args: unknown[]) {
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
