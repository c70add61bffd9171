import {
  commitMutation,
  type Environment,
  type GraphQLTaggedNode,
  type MutationParameters,
} from 'relay-runtime';

/** Runs a mutation. @throws the errors of the response, with or without a payload */
export function mutate<Operation extends MutationParameters>(
  environment: Environment,
  mutation: GraphQLTaggedNode,
  variables: Operation['variables'],
): Promise<Operation['response']> {
  return new Promise((resolve, reject) => {
    commitMutation<Operation>(environment, {
      mutation,
      variables,
      onCompleted(response, errors) {
        if (!errors) return resolve(response);
        reject(Object.assign(new Error(errors[0]?.message), { source: { errors } }));
      },
      onError: reject,
    });
  });
}

/** Returns the payload of a successful mutation. It is null only together with an error, which is thrown. */
export function present<Payload>(payload: Payload | null | undefined): Payload {
  if (payload == null) throw new Error('A mutation has neither a payload nor an error.');
  return payload;
}
