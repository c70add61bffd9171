import type { ApolloServerPlugin } from '@apollo/server';
import type { Context } from './context.ts';

/** A plugin that records in the context the name of the operation, for the log and the metrics. */
export const recordOperation: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ contextValue, operation }) {
        contextValue.state.operationName = operation && (operation.name?.value ?? '');
      },
    };
  },
};
