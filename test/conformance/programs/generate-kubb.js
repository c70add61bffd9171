import { build } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

// By its library, because its command asks the registry of npm for a newer version.
await build({
  config: {
    root: import.meta.dirname,
    input: { path: `${process.env.PAW}/openapi.json` },
    output: { path: 'generated' },
    plugins: [pluginOas(), pluginTs(), pluginClient()],
  },
});
