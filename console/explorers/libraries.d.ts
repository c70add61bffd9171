// Types of libraries that have none, as far as the pages use them.

/** Adds the global `Scalar`. */
declare module 'scalar.js' {}

declare namespace Scalar {
  type Reference = { updateConfiguration(configuration: object): void };
  const createApiReference: (element: Element, configuration: object) => Reference;
}

declare module '*.css';
