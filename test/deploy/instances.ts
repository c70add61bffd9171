import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { logLines, type Running, type Settings, startPaw } from '../support/paw.ts';

/** A gateway in a separate process, on a fixed port. */
export type Instance = {
  readonly url: string;
  readonly port: number;
  /** Starts it if it is not running. */
  start(): Promise<void>;
  /** Stops it, and waits until it has ended. */
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** The lines of the log since its last start. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the values
  log(): any[];
};

/** Returns an instance that is not running yet. */
export function instanceOn(port: number, settings: Settings): Instance {
  const url = `http://127.0.0.1:${port}`;
  let running: Running | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    running = undefined;
    const result = await ending?.stop(signal);
    if (signal === 'SIGTERM') expect(result).toMatchObject({ status: 0, stderr: '' });
  };
  return {
    url,
    port,
    async start() {
      if (running !== undefined) return;
      running = startPaw(['serve'], { PORT: String(port), ...settings });
      await running.printed('listening on ');
    },
    log: () => logLines(running?.output() ?? ''),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** A server that is healthy, but closes the connection instead of a response to any other request. */
export async function brokenInstance(): Promise<{ port: number; requests: readonly string[] }> {
  const requests: string[] = [];
  const server: Server = createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!text.includes('\r\n\r\n')) return;
      requests.push(text);
      socket.end(text.includes('/healthz') ? 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n' : '');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

/** A TCP connection to a database server that can be cut. */
export type Relay = {
  readonly port: number;
  /** Closes all connections, and refuses new ones. */
  cut(): void;
  restore(): void;
  close(): void;
};

/** Forwards connections to a port of this machine. */
export async function relayTo(target: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const close = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const onward = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {}).pipe(to);
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      close();
    },
    restore() {
      isCut = false;
    },
    close() {
      server.close();
      close();
    },
  };
}
