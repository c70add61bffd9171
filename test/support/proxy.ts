import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy to a port of this machine, which imitates faults of a network. */
export type TcpProxy = {
  readonly port: number;
  /** Closes the next connection that sends a text, when the server responds, with a message in place of the response. */
  cutAfter(sent: string, message?: string): void;
  /** Closes all connections, and new ones at once, until it is called with false. */
  cut(on: boolean): void;
  /** Drops all data, and leaves the connections open, until it is called again. */
  freeze(on?: boolean): void;
  stop(): Promise<void>;
};

/** Starts a proxy. */
export async function startProxy(target: number): Promise<TcpProxy> {
  let cutText: string | undefined;
  let farewell = '';
  let isFrozen = false;
  let isDown = false;
  const sockets = new Set<Socket>();

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isDown) {
      client.destroy();
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    let isCut = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('end', () => {
      if (!isFrozen) client.destroy();
    });
    client.on('data', (data) => {
      if (isFrozen) return;
      if (cutText !== undefined && data.includes(cutText)) {
        isCut = true;
        cutText = undefined;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      // The server has executed the statement.
      if (isCut) client.end(farewell);
      else if (!isFrozen) client.write(data);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    cutAfter(sent, message = '') {
      cutText = sent;
      farewell = message;
    },
    cut(on) {
      isDown = on;
      if (on) for (const socket of sockets) socket.destroy();
    },
    freeze(on = true) {
      isFrozen = on;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
