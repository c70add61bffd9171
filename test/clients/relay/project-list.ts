import {
  createOperationDescriptor,
  type Environment,
  fetchQuery,
  getFragment,
  getPaginationMetadata,
  getPaginationVariables,
  getRefetchMetadata,
  getRequest,
  graphql,
} from 'relay-runtime';
import type { projectList_project$key } from './__generated__/projectList_project.graphql.ts';
import type { projectList_projects$key } from './__generated__/projectList_projects.graphql.ts';
import type { projectListPaginationQuery } from './__generated__/projectListPaginationQuery.graphql.ts';
import type { projectListProjectQuery } from './__generated__/projectListProjectQuery.graphql.ts';
import type { projectListQuery } from './__generated__/projectListQuery.graphql.ts';
import { readFragment } from './environment.ts';

const listQuery = graphql`
  query projectListQuery($count: Int!) {
    ...projectList_projects @arguments(count: $count)
  }
`;

const projectsFragment = graphql`
  fragment projectList_projects on Query
  @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
  @refetchable(queryName: "projectListPaginationQuery") {
    projects(first: $count, after: $cursor) @connection(key: "projectList_projects") {
      totalCount
      edges {
        node {
          ...projectList_project
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

const projectFragment = graphql`
  fragment projectList_project on Project @refetchable(queryName: "projectListProjectQuery") {
    id
    title
    imageCoverUrl
    createTime
  }
`;

/** Opens the list of projects, as `useLazyLoadQuery` does. Returns the argument of `usePaginationFragment`. */
export async function openProjectList(
  environment: Environment,
  count: number,
): Promise<projectList_projects$key> {
  environment.retain(createOperationDescriptor(getRequest(listQuery), { count }));
  const key = await fetchQuery<projectListQuery>(environment, listQuery, { count }).toPromise();
  if (!key) throw new Error('The query gave nothing.');
  return key;
}

/** Reads the loaded part of the list. */
export function readProjects(environment: Environment, key: projectList_projects$key) {
  const { projects } = readFragment(environment, projectsFragment, key);
  return {
    total: projects.totalCount,
    hasNext: projects.pageInfo.hasNextPage,
    cursor: projects.pageInfo.endCursor,
    keys: projects.edges.map(({ node }) => node),
  };
}

export function readProject(environment: Environment, key: projectList_project$key) {
  return readFragment(environment, projectFragment, key);
}

/** Loads the next page, as `loadNext` of `usePaginationFragment` does. */
export async function loadNext(
  environment: Environment,
  key: projectList_projects$key,
  count: number,
): Promise<void> {
  const { paginationRequest, paginationMetadata } = getPaginationMetadata(
    getFragment(projectsFragment),
    'loadNext',
  );
  const { cursor } = readProjects(environment, key);
  const variables = getPaginationVariables('forward', count, cursor, {}, {}, paginationMetadata);
  await fetchQuery<projectListPaginationQuery>(environment, paginationRequest, variables).toPromise();
}

/** Fetches a project again by its id, as `refetch` of `useRefetchableFragment` does. */
export async function refetchProject(environment: Environment, key: projectList_project$key): Promise<void> {
  const { refetchableRequest } = getRefetchMetadata(getFragment(projectFragment), 'refetchProject');
  const { id } = readProject(environment, key);
  await fetchQuery<projectListProjectQuery>(environment, refetchableRequest, { id }).toPromise();
}
