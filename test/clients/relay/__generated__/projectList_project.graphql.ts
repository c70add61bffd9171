/**
 * @generated SignedSource<<e49d651c1211aeb68f093dcf936be2a7>>
 * @lightSyntaxTransform
 * @codegen-command: node test/clients/relay/compile.ts
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ReaderFragment } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type projectList_project$data = {
  readonly createTime: string;
  readonly id: string;
  readonly imageCoverUrl: string;
  readonly title: string;
  readonly " $fragmentType": "projectList_project";
};
export type projectList_project$key = {
  readonly " $data"?: projectList_project$data;
  readonly " $fragmentSpreads": FragmentRefs<"projectList_project">;
};

import projectListProjectQuery_graphql from './projectListProjectQuery.graphql';

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": {
    "refetch": {
      "connection": null,
      "fragmentPathInResult": [
        "node"
      ],
      "operation": projectListProjectQuery_graphql,
      "identifierInfo": {
        "identifierField": "id",
        "identifierQueryVariableName": "id"
      }
    }
  },
  "name": "projectList_project",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "id",
      "storageKey": null
    },
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
};

(node as any).hash = "c16d6c3d33e7e793311a1cbdf153b004";

export default node;
