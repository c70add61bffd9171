import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Each file starts servers of its own; nothing is shared between files.
    pool: 'threads',
    testTimeout: 20_000,
    // Run as Node runs the program itself: without a bundler in between.
    experimental: { viteModuleRunner: false },
  },
});
