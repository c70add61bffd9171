import { Client } from 'pg';
import { vi } from 'vitest';
import type { PostgresServer } from './postgres-server.ts';

const WAIT = { timeout: 30_000, interval: 10 };

/** The log of a server that is started with `log_statement=all`. */
export type StatementLog = {
  /** Returns what the server logs while `work` runs. */
  during(work: () => Promise<unknown>): Promise<string>;
  /** Waits for the first sweeps of gateways, which are not part of a request. The next ones follow after a minute. */
  swept(gateways: number): Promise<void>;
  close(): Promise<void>;
};

/** Reads the log of a server. */
export async function openStatementLog({ log, urlOf }: PostgresServer): Promise<StatementLog> {
  const client = new Client({ connectionString: urlOf('postgres') });
  await client.connect();
  let marks = 0;

  /** Runs a statement. It is logged before it is run, so that all earlier ones are before it in the log. */
  async function mark(): Promise<string> {
    marks += 1;
    const sql = `SELECT 'mark ${marks}'`;
    await client.query(sql);
    await vi.waitUntil(() => log().includes(`${sql}\n`), WAIT);
    return `${sql}\n`;
  }

  return {
    async during(work) {
      const start = await mark();
      await work();
      const end = await mark();
      const [text = ''] = log().split(start)[1]?.split(end) ?? [];
      // Without the beginning of the line of the second mark.
      return text.slice(0, text.lastIndexOf('\n') + 1);
    },
    async swept(gateways) {
      await vi.waitUntil(() => log().split('FROM audit_event WHERE').length - 1 === gateways, WAIT);
    },
    close: () => client.end(),
  };
}
