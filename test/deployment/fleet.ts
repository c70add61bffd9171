import { expect } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { seedDatabase } from '../support/gateway.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { listening, type Running, type Settings, startPaw } from '../support/run-command.ts';
import { trustedCertificate } from './certificate.ts';
import { haproxy, nginx } from './proxy.ts';

/** Returns a gateway in a separate process, which is not running yet. Its first start chooses its port. */
function instanceWith(settings: Settings) {
  let running: Running | undefined;
  let port = '0';
  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    running = undefined;
    const result = await ending?.stop(signal);
    if (signal === 'SIGTERM') expect(result).toMatchObject({ status: 0, stderr: '' });
  };
  return {
    get port() {
      return Number(port);
    },
    /** Starts it if it is not running. */
    async start() {
      if (running !== undefined) return;
      running = startPaw(['serve'], { PORT: port, ...settings });
      ({ port } = new URL((await listening(running, () => {})).url));
    },
    /** Stops it, and waits until it has ended. */
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** The fields of a new app. */
export const APP = { title: 'App', active: true };

/** Requests per minute without a token from one address, at each instance. */
export const ADDRESS_LIMIT = 30;

// Longer than HAProxy needs to detect that an instance is not ready.
const STOP_DELAY = '3s';

/** Starts two gateways on one PostgreSQL server, behind each of the proxies. */
export async function startFleet() {
  await using opening = new AsyncDisposableStack();
  const postgres = await startPostgres();
  opening.defer(postgres.stop);
  const databaseUrl = postgres.urlOf('postgres');
  const { token, wallet } = await seedDatabase(databaseUrl, { wallets: 1 });
  const settings = {
    DATABASE_URL: databaseUrl,
    PAW_TRUSTED_PROXIES: '127.0.0.1',
    PAW_RATE_LIMIT_ADDRESS: String(ADDRESS_LIMIT),
    PAW_STOP_DELAY: STOP_DELAY,
  };
  const instances = [instanceWith(settings), instanceWith(settings)] as const;
  for (const instance of instances) opening.defer(instance.kill);
  const start = async () => void (await Promise.all(instances.map((instance) => instance.start())));
  await start();
  const ports = [instances[0].port, instances[1].port] as const;
  const certificate = trustedCertificate();
  opening.defer(certificate.remove);
  const startProxy = async ({ start }: typeof haproxy) => {
    const proxy = await start(await freePort(), ports, certificate);
    opening.defer(proxy.stop);
    return proxy;
  };
  const proxies = { HAProxy: await startProxy(haproxy), nginx: await startProxy(nginx) };
  const open = opening.move();
  return {
    ...{ postgres, instances, proxies, certificate },
    /** A token of an account, and the name of its wallet. */
    ...{ token, wallet },
    /** Starts the instances that are not running. */
    start,
    stop: () => open.disposeAsync(),
  };
}
