import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'threads',
    // Many tests wait for a process that they have started.
    maxWorkers: 4,
    // Each file starts gateways of its own, and no module keeps anything between two of them.
    isolate: false,
    // Run as Node runs the program itself: without a bundler in between.
    experimental: { viteModuleRunner: false },
  },
});
