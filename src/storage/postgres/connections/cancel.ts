import { Connection, type PoolClient } from 'pg';

// The types of the driver leave these parts out.
type CancelKey = { readonly processID: number; readonly secretKey: number };
type CancelConnection = Connection & {
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

/**
 * Asks the server to cancel the running statement of a connection, on a second connection. The request can arrive after
 * the statement has ended, so the first connection must not be used again.
 * Source: PostgreSQL, section 54.2.9, canceling requests in progress.
 *
 * @param timeoutMs how long the second connection may stay open, in milliseconds
 */
export function cancelStatement(client: PoolClient, timeoutMs: number): void {
  const { host, port, ssl, processID, secretKey } = client as PoolClient & CancelKey;
  const connection = new Connection({ ssl }) as CancelConnection;
  const send = () => connection.cancel(processID, secretKey);
  // Without the second connection, the server's timeout ends the statement.
  connection.on('error', () => {});
  connection.on('connect', () => (ssl ? connection.requestSsl() : send()));
  connection.on('sslconnect', send);
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  setTimeout(() => connection.stream.destroy(), timeoutMs).unref();
}
