import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket endpoint of the browser. */
    browserEndpoint: string;
  }
}

/** Starts Chromium for all tests of a run. It resolves no host name, so that no request leaves the machine. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({
    executablePath: '/usr/bin/chromium',
    args: ['--disable-gpu', '--disable-quic', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
}
