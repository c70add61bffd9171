// What the pages use of libraries that bring no types.

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
  // biome-ignore lint/style/noDefaultExport: as the library has it
  export default SwaggerUi;
}

declare module '*.css';
