import {
  commitMutation,
  createOperationDescriptor,
  type Environment,
  fetchQuery,
  getRequest,
  graphql,
} from 'relay-runtime';
import type { wallet_wallet$data, wallet_wallet$key } from './__generated__/wallet_wallet.graphql.ts';
import type { walletQuery } from './__generated__/walletQuery.graphql.ts';
import type {
  UpdateWalletInput,
  walletUpdateMutation,
} from './__generated__/walletUpdateMutation.graphql.ts';
import { readFragment, watchFragment } from './environment.ts';

const query = graphql`
  query walletQuery($id: ID!) {
    node(id: $id) {
      ...wallet_wallet @alias(as: "wallet")
    }
  }
`;

const fragment = graphql`
  fragment wallet_wallet on Wallet {
    name
    title
    description
    network
    address
    project {
      name
      title
    }
  }
`;

const updateMutation = graphql`
  mutation walletUpdateMutation($input: UpdateWalletInput!) {
    updateWallet(input: $input) {
      wallet {
        ...wallet_wallet
        updateTime
      }
    }
  }
`;

/** Fetches a wallet into the store. */
export async function openWallet(environment: Environment, id: string): Promise<wallet_wallet$key> {
  environment.retain(createOperationDescriptor(getRequest(query), { id }));
  const data = await fetchQuery<walletQuery>(environment, query, { id }).toPromise();
  if (!data?.node?.wallet) throw new Error(`There is no ${id}.`);
  return data.node.wallet;
}

export function readWallet(environment: Environment, key: wallet_wallet$key): wallet_wallet$data {
  return readFragment(environment, fragment, key);
}

export function watchWallet(
  environment: Environment,
  key: wallet_wallet$key,
  changed: (wallet: wallet_wallet$data) => void,
) {
  return watchFragment(environment, fragment, key, changed);
}

/** Updates a wallet. @throws the errors of the response, with or without a payload */
export function updateWallet(environment: Environment, input: UpdateWalletInput): Promise<void> {
  return new Promise((resolve, reject) => {
    commitMutation<walletUpdateMutation>(environment, {
      mutation: updateMutation,
      variables: { input },
      onCompleted(_response, errors) {
        if (!errors) return resolve();
        reject(Object.assign(new Error(errors[0]?.message), { source: { errors } }));
      },
      onError: reject,
    });
  });
}
