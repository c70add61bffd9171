import { type Environment, graphql } from 'relay-runtime';
import type { appCreateMutation, CreateAppInput } from './__generated__/appCreateMutation.graphql.ts';
import type { appSignInMutation, SignInInput } from './__generated__/appSignInMutation.graphql.ts';
import { mutate, present } from './mutate.ts';

const createMutation = graphql`
  mutation appCreateMutation($input: CreateAppInput!) {
    createApp(input: $input) {
      app {
        name
        title
        active
        privateKey
        project {
          name
        }
      }
    }
  }
`;

const signInMutation = graphql`
  mutation appSignInMutation($input: SignInInput!) {
    signIn(input: $input) {
      accessToken
      expireTime
      app {
        name
        title
      }
    }
  }
`;

export async function createApp(environment: Environment, input: CreateAppInput) {
  const { createApp } = await mutate<appCreateMutation>(environment, createMutation, { input });
  return present(createApp).app;
}

export async function signIn(environment: Environment, input: SignInInput) {
  const { signIn } = await mutate<appSignInMutation>(environment, signInMutation, { input });
  return present(signIn);
}
