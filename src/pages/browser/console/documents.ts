/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** The level of a token. */
export type TokenLevel =
  /**
   * An account token, which the operator issues. It gives access to all resources of the account, or
   * to those of one project.
   */
  | 'ACCOUNT'
  /** A project token, which `signIn` issues. It gives access to the resources of one project. */
  | 'PROJECT';

export type ProjectsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ProjectsQuery = { readonly projects: { readonly totalCount: number, readonly nodes: ReadonlyArray<{ readonly name: string, readonly title: string, readonly description: string }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { readonly viewer: { readonly name: string, readonly title: string, readonly level: TokenLevel, readonly readOnly: boolean, readonly account: string, readonly onlyProject: boolean, readonly expireTime: string, readonly project: { readonly name: string, readonly title: string }, readonly app: { readonly name: string, readonly title: string } | null } };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { readonly signOut: { readonly clientMutationId: string | null } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const ProjectsDocument = new TypedDocumentString(`
    query Projects($after: String) {
  projects(first: 24, after: $after) {
    totalCount
    nodes {
      name
      title
      description
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ProjectsQuery, ProjectsQueryVariables>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    name
    title
    level
    readOnly
    account
    project {
      name
      title
    }
    onlyProject
    app {
      name
      title
    }
    expireTime
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const SignOutDocument = new TypedDocumentString(`
    mutation SignOut {
  signOut {
    clientMutationId
  }
}
    `) as unknown as TypedDocumentString<SignOutMutation, SignOutMutationVariables>;