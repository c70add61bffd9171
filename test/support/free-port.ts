import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Returns a free port of this machine. It is below those that the system gives to outgoing connections. No other test gets
 * the same port: until this process ends, a UDP socket reserves its number, which leaves the TCP port free.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000);
  const reservation = createSocket('udp4').unref();
  const probe = createServer();
  try {
    reservation.bind(port, '127.0.0.1');
    await once(reservation, 'listening');
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch {
    reservation.close();
    return freePort();
  }
  probe.close();
  await once(probe, 'close');
  return port;
}
