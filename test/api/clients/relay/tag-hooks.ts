import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type TransformOptions, transformSync } from '@babel/core';

const OPTIONS: TransformOptions = {
  babelrc: false,
  configFile: false,
  parserOpts: { plugins: ['typescript'] },
  plugins: [[fileURLToPath(import.meta.resolve('babel-plugin-relay')), { eagerEsModules: true }]],
  retainLines: true,
};

/**
 * Transforms each module with `graphql` tags as the build of a Relay app does: Relay's Babel plugin
 * replaces each tag with an import of the compiled artifact. Node strips the types.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    // An artifact is imported without its extension. A bundler would add it.
    return nextResolve(specifier.endsWith('.graphql') ? `${specifier}.ts` : specifier, context);
  },
  load(url, context, nextLoad) {
    const module = nextLoad(url, context);
    const source = module.source?.toString() ?? '';
    if (url.includes('/node_modules/') || !source.includes('graphql`')) return module;
    const compiled = transformSync(source, { ...OPTIONS, filename: fileURLToPath(url) });
    return { ...module, source: compiled?.code ?? '' };
  },
});
