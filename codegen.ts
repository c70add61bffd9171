import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'schema/*.graphql',
  generates: {
    'src/graphql/schema-types.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        contextType: './context.ts#Context',
        enumsAsTypes: true,
        // `unknown` instead of `any` for scalars without a mapping.
        defaultScalarType: 'unknown',
        immutableTypes: true,
        // Resolvers receive the types of the model. Only fields that differ from the model need a resolver.
        mappers: {
          App: '../model/app.ts#App as AppModel',
          Project: '../model/project.ts#Project as ProjectModel',
          PageInfo: './connection.ts#PageInfo as PageInfoModel',
          ProjectConnection: './connection.ts#ProjectConnection as ProjectConnectionModel',
          ProjectEdge: './connection.ts#ProjectEdge as ProjectEdgeModel',
          Wallet: '../model/wallet.ts#Wallet as WalletModel',
        },
        resolversNonOptionalTypename: false,
        scalars: {
          Address: 'string',
          DateTime: { input: 'Date', output: 'Date' },
          ID: 'string',
          ResourceName: 'string',
          URL: 'string',
        },
        strictScalars: true,
        useIndexSignature: false,
        useTypeImports: true,
      },
    },
  },
};

export default config;
