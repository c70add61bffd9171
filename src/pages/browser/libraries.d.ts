// Types of libraries that have none, as far as the pages use them.

/** Adds the global `Scalar`. */
declare module 'scalar.js' {}

declare namespace Scalar {
  type Configuration = {
    content: object;
    servers: readonly { url: string }[];
    authentication: {
      preferredSecurityScheme: string;
      securitySchemes: Readonly<Record<string, { token: string }>>;
    };
    hideDarkModeToggle: boolean;
    theme: 'none';
    withDefaultFonts: boolean;
    defaultHttpClient: { targetKey: string; clientKey: string };
    defaultOpenAllTags: boolean;
    expandAllParameters: boolean;
    orderSchemaPropertiesBy: 'preserve';
    orderRequiredPropertiesFirst: boolean;
    documentDownloadType: 'none';
    hideModels: boolean;
    hideSearch: boolean;
    hideClientButton: boolean;
    showDeveloperTools: 'never';
    agent: { disabled: boolean };
    mcp: { disabled: boolean };
    persistAuth: boolean;
    telemetry: boolean;
  };
  type Reference = { updateConfiguration(configuration: Configuration): void };
  const createApiReference: (element: Element, configuration: Configuration) => Reference;
}

declare module '*.css';
