/**
 * @generated SignedSource<<76a0ff3a74b71519d6659d65bc6da2b7>>
 * @lightSyntaxTransform
 * @codegen-command: node test/clients/relay/compile.ts
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type Network = "NETWORK_ETHEREUM" | "NETWORK_ETHEREUM_RINKEBY" | "NETWORK_ETHEREUM_RINKERBY" | "NETWORK_POLYGON" | "NETWORK_POLYGON_MUMBAI" | "%future added value";
export type UpdateWalletInput = {
  clientMutationId?: string | null | undefined;
  description?: string | null | undefined;
  name: string;
  network?: Network | null | undefined;
  password?: string | null | undefined;
  project?: string | null | undefined;
  title?: string | null | undefined;
};
export type walletUpdateMutation$variables = {
  input: UpdateWalletInput;
};
export type walletUpdateMutation$data = {
  readonly updateWallet: {
    readonly wallet: {
      readonly updateTime: string;
      readonly " $fragmentSpreads": FragmentRefs<"wallet_wallet">;
    };
  } | null | undefined;
};
export type walletUpdateMutation = {
  response: walletUpdateMutation$data;
  variables: walletUpdateMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "input",
    "variableName": "input"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "updateTime",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "title",
  "storageKey": null
},
v5 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "walletUpdateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "UpdateWalletPayload",
        "kind": "LinkedField",
        "name": "updateWallet",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "Wallet",
            "kind": "LinkedField",
            "name": "wallet",
            "plural": false,
            "selections": [
              {
                "args": null,
                "kind": "FragmentSpread",
                "name": "wallet_wallet"
              },
              (v2/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "walletUpdateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "UpdateWalletPayload",
        "kind": "LinkedField",
        "name": "updateWallet",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "Wallet",
            "kind": "LinkedField",
            "name": "wallet",
            "plural": false,
            "selections": [
              (v3/*:: as any*/),
              (v4/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "description",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "network",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "address",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "concreteType": "Project",
                "kind": "LinkedField",
                "name": "project",
                "plural": false,
                "selections": [
                  (v3/*:: as any*/),
                  (v4/*:: as any*/),
                  (v5/*:: as any*/)
                ],
                "storageKey": null
              },
              (v2/*:: as any*/),
              (v5/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "8f16c09a47cc9de6f669ba5a50fda340",
    "id": null,
    "metadata": {},
    "name": "walletUpdateMutation",
    "operationKind": "mutation",
    "text": "mutation walletUpdateMutation(\n  $input: UpdateWalletInput!\n) {\n  updateWallet(input: $input) {\n    wallet {\n      ...wallet_wallet\n      updateTime\n      id\n    }\n  }\n}\n\nfragment wallet_wallet on Wallet {\n  name\n  title\n  description\n  network\n  address\n  project {\n    name\n    title\n    id\n  }\n}\n"
  }
};
})();

(node as any).hash = "1a4fb4dce25d628fcaf30fbd7a4fd2ad";

export default node;
