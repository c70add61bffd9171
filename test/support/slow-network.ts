import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that delays all data, and counts round trips. */
export type SlowNetwork = {
  readonly port: number;
  /** The number of times that a client has sent something after it had received something, on all connections. */
  roundTrips(): number;
  stop(): void;
};

/** Starts a proxy to a port of this machine. @param delayMs the delay in each direction */
export async function startSlowNetwork(target: number, delayMs: number): Promise<SlowNetwork> {
  let trips = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let isSending = false;
    const forward = (from: Socket, to: Socket, onData: () => void) => {
      sockets.add(from);
      from.setNoDelay();
      from.on('error', () => {});
      from.on('data', (data) => {
        onData();
        setTimeout(() => to.write(data), delayMs);
      });
      from.on('close', () => to.destroy());
    };
    forward(client, upstream, () => {
      if (!isSending) trips += 1;
      isSending = true;
    });
    forward(upstream, client, () => {
      isSending = false;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    roundTrips: () => trips,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
