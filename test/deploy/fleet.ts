import { expect } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { seedTenant, startGateway } from '../support/gateway.ts';
import { type Running, type Settings, startPaw } from '../support/paw.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { trustedCertificate } from './certificate.ts';
import { haproxy, nginx } from './proxy.ts';

/** Returns a gateway in a separate process on a fixed port, which is not running yet. */
function instanceOn(port: number, settings: Settings) {
  let running: Running | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    running = undefined;
    const result = await ending?.stop(signal);
    if (signal === 'SIGTERM') expect(result).toMatchObject({ status: 0, stderr: '' });
  };
  return {
    url: `http://127.0.0.1:${port}`,
    /** Starts it if it is not running. */
    async start() {
      if (running !== undefined) return;
      running = startPaw(['serve'], { PORT: String(port), ...settings });
      await running.printed('listening on ');
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
  const postgres = await startPostgres();
  const databaseUrl = postgres.urlOf('postgres');
  const gateway = await startGateway({ DATABASE_URL: databaseUrl });
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  await gateway.stop();
  const ports = [await freePort(), await freePort()] as const;
  const settings = {
    DATABASE_URL: databaseUrl,
    PAW_TRUSTED_PROXIES: '127.0.0.1',
    PAW_RATE_LIMIT_ADDRESS: String(ADDRESS_LIMIT),
    PAW_STOP_DELAY: STOP_DELAY,
  };
  const instances = [instanceOn(ports[0], settings), instanceOn(ports[1], settings)] as const;
  const start = async () => void (await Promise.all(instances.map((instance) => instance.start())));
  await start();
  const certificate = trustedCertificate();
  const proxies = {
    HAProxy: await haproxy.start(await freePort(), ports, certificate),
    nginx: await nginx.start(await freePort(), ports, certificate),
  };
  return {
    ...{ postgres, instances, proxies, certificate },
    /** A token of an account, and the name of its wallet. */
    ...{ token, wallet: wallets[0] ?? '' },
    /** Starts the instances that are not running. */
    start,
    async stop() {
      certificate.remove();
      for (const proxy of Object.values(proxies)) await proxy.stop();
      for (const instance of instances) await instance.kill();
      await postgres.stop();
    },
  };
}
