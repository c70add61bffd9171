import type { ApolloServerPlugin } from '@apollo/server';
import type { Context } from './context.ts';

/** A plugin that records the operation in the context, for the log and the metrics. */
export const recordOperation: ApolloServerPlugin<Context> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ contextValue, operation }) {
        const name = operation?.name?.value ?? '';
        contextValue.state.operation = operation && { type: operation.operation, name, isRepeated: false };
      },
    };
  },
};
