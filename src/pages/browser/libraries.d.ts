// Types of libraries that have none, as far as the pages use them.

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  type Request = { headers: Record<string, string> };
  type Options = {
    domNode: Element;
    spec: object;
    deepLinking: boolean;
    tryItOutEnabled: boolean;
    persistAuthorization: boolean;
    validatorUrl: null;
    showMutatedRequest: boolean;
    requestInterceptor(request: Request): Request;
    plugins: readonly { components: Readonly<Record<string, () => null>> }[];
  };
  const SwaggerUi: (options: Options) => void;
  // biome-ignore lint/style/noDefaultExport: the library has a default export
  export default SwaggerUi;
}

declare module '*.css';
