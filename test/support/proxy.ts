import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy to a port of this machine, which counts round trips, and imitates faults of a network. */
export type TcpProxy = {
  readonly port: number;
  /** The number of times that a client has sent something after it had received something, on all connections. */
  roundTrips(): number;
  /** Closes the next connection that sends a text, when the server responds, with a message in place of the response. */
  cutAfter(sent: string, message?: string): void;
  /** Drops all data, and leaves the connections open, until it is called again. */
  freeze(on?: boolean): void;
  stop(): Promise<void>;
};

/** Starts a proxy. @param delayMs the delay in each direction */
export async function startProxy(target: number, delayMs = 0): Promise<TcpProxy> {
  let trips = 0;
  let cutText: string | undefined;
  let farewell = '';
  let isFrozen = false;
  const sockets = new Set<Socket>();

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect(target, '127.0.0.1');
    let isSending = false;
    let isCut = false;
    const send = (to: Socket, data: Buffer | string) => {
      if (delayMs > 0) setTimeout(() => to.write(data), delayMs);
      else to.write(data);
    };
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
      if (!isSending) trips += 1;
      isSending = true;
      if (cutText !== undefined && data.includes(cutText)) {
        isCut = true;
        cutText = undefined;
      }
      send(upstream, data);
    });
    upstream.on('data', (data) => {
      isSending = false;
      // The server has executed the statement.
      if (isCut) client.end(farewell);
      else if (!isFrozen) send(client, data);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    roundTrips: () => trips,
    cutAfter(sent, message = '') {
      cutText = sent;
      farewell = message;
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
