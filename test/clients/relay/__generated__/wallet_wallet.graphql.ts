/**
 * @generated SignedSource<<bc9f5336466e7f8d84f2ece170fe38cc>>
 * @lightSyntaxTransform
 * @codegen-command: node test/clients/relay/compile.ts
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ReaderFragment } from 'relay-runtime';
export type Network = "NETWORK_ETHEREUM" | "NETWORK_ETHEREUM_RINKEBY" | "NETWORK_ETHEREUM_RINKERBY" | "NETWORK_POLYGON" | "NETWORK_POLYGON_MUMBAI" | "%future added value";
import type { FragmentRefs } from "relay-runtime";
export type wallet_wallet$data = {
  readonly address: string;
  readonly description: string;
  readonly name: string;
  readonly network: Network;
  readonly project: {
    readonly name: string;
    readonly title: string;
  };
  readonly title: string;
  readonly " $fragmentType": "wallet_wallet";
};
export type wallet_wallet$key = {
  readonly " $data"?: wallet_wallet$data;
  readonly " $fragmentSpreads": FragmentRefs<"wallet_wallet">;
};

const node: ReaderFragment = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "title",
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "wallet_wallet",
  "selections": [
    (v0/*:: as any*/),
    (v1/*:: as any*/),
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
        (v0/*:: as any*/),
        (v1/*:: as any*/)
      ],
      "storageKey": null
    }
  ],
  "type": "Wallet",
  "abstractKey": null
};
})();

(node as any).hash = "580049a1f500c8965350c4a45ea214d6";

export default node;
