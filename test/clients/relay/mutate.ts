import {
  commitMutation,
  type Environment,
  type GraphQLTaggedNode,
  type MutationParameters,
} from 'relay-runtime';

/** Carries out a mutation, and throws the errors that the gateway answers beside the payload or instead of it. */
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

/** The payload of a mutation that went well: it is null only beside an error, which was thrown before. */
export function present<Payload>(payload: Payload | null | undefined): Payload {
  if (payload == null) throw new Error('A mutation has neither a payload nor an error.');
  return payload;
}
