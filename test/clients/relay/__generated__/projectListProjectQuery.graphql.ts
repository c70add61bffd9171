/**
 * @generated SignedSource<<8bd81c6bbd8df4c7ddd19653ff68e544>>
 * @lightSyntaxTransform
 * @codegen-command: node test/clients/relay/compile.ts
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type projectListProjectQuery$variables = {
  id: string;
};
export type projectListProjectQuery$data = {
  readonly node: {
    readonly " $fragmentSpreads": FragmentRefs<"projectList_project">;
  } | null | undefined;
};
export type projectListProjectQuery = {
  response: projectListProjectQuery$data;
  variables: projectListProjectQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "projectListProjectQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          {
            "args": null,
            "kind": "FragmentSpread",
            "name": "projectList_project"
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "projectListProjectQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "__typename",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "id",
            "storageKey": null
          },
          {
            "kind": "InlineFragment",
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "title",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "imageCoverUrl",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "createTime",
                "storageKey": null
              }
            ],
            "type": "Project",
            "abstractKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "97bcbf0e33c4668ae217fd93abf8d618",
    "id": null,
    "metadata": {},
    "name": "projectListProjectQuery",
    "operationKind": "query",
    "text": "query projectListProjectQuery(\n  $id: ID!\n) {\n  node(id: $id) {\n    __typename\n    ...projectList_project\n    id\n  }\n}\n\nfragment projectList_project on Project {\n  id\n  title\n  imageCoverUrl\n  createTime\n}\n"
  }
};
})();

(node as any).hash = "c16d6c3d33e7e793311a1cbdf153b004";

export default node;
