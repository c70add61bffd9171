import { expect } from 'vitest';
import { type Api, bothApis, mutationDocument, postGraphql } from './both-apis.ts';
import type { Gateway, Tenant } from './gateway.ts';
import { documentOf, inputOf, MUTATION_NAMES } from './mutations.ts';
import {
  createApp,
  graphqlBody,
  keyOf,
  mutate,
  PASSWORD,
  payloadOf,
  projectTokenOf,
  reasonOf,
  resultOf,
  withOtherSecret,
} from './requests.ts';

const SELECT_ALL = `query ($after: String) {
  viewer { level account project { id } }
  projects(first: 1, after: $after) {
    totalCount
    pageInfo { hasNextPage hasPreviousPage endCursor }
    nodes {
      title
      apps(first: 1) { totalCount pageInfo { hasPreviousPage } nodes { title project { title } } }
      wallets(last: 1) { totalCount nodes { title project { title } } }
    }
  }
  last: projects(last: 2) { nodes { id } }
}`;

const FIND = `query ($after: String) {
  projects(title: "Project", first: 1, after: $after) {
    totalCount
    pageInfo { hasPreviousPage endCursor }
    nodes { title wallets(title: "Wallet", last: 1) { totalCount pageInfo { hasNextPage } nodes { title } } }
  }
  last: projects(title: "Project", last: 1) { totalCount nodes { title } }
  wallets(address: "0x0000000000000000000000000000000000000001", first: 1) {
    totalCount
    pageInfo { hasPreviousPage }
    nodes { title }
  }
  titled: wallets(title: "Wallet", last: 1) { totalCount pageInfo { hasNextPage } nodes { title } }
  named: wallets(reference: "a", first: 1) { totalCount pageInfo { hasPreviousPage } nodes { title } }
  referenced: projects(reference: "a", first: 1) { totalCount pageInfo { hasPreviousPage } nodes { title } }
  archived: wallets(title: "Wallet", archived: true, first: 1) { totalCount nodes { title } }
  apps(title: "App", first: 1) { totalCount pageInfo { hasPreviousPage } nodes { title } }
}`;

const EVENTS = `query ($resource: ResourceName!, $after: String) {
  events(first: 1, resource: $resource, after: $after) {
    totalCount
    pageInfo { hasPreviousPage endCursor }
    nodes { resourceTitle by }
  }
  last: events(last: 1, resource: $resource, action: "wallet.create") { totalCount nodes { id } }
  of: events(first: 1, action: "wallet.create", since: "2001-01-01T00:00:00Z") { totalCount }
  all: events(first: 1, until: "9000-01-01T00:00:00Z") { totalCount }
}`;

const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';

const TOKENS = `query ($after: String) {
  viewer { addressesLeft { count } }
  tokens(first: 1, after: $after) {
    totalCount
    pageInfo { hasPreviousPage endCursor }
    nodes { id lastUseTime }
  }
  last: tokens(last: 1) { nodes { id } }
}`;

/** Calls every operation of both APIs, so that every statement of the public API is executed. */
export async function useAllOperations({ url }: Pick<Gateway, 'url'>, tenant: Tenant): Promise<void> {
  for (const api of bothApis(() => url)) await useAll(api, url, tenant);
}

/** Calls every operation of an API, and of GraphQL what only that has. */
async function useAll(api: Api, url: string, { token, projects, wallets }: Tenant): Promise<void> {
  const [wallet = ''] = wallets;
  const [, project = ''] = projects;
  const app = keyOf(await createApp(api, token));
  const accessToken = await projectTokenOf(api, token, app);
  expect(await reasonOf(api.signIn(token, { ...app, privateKey: withOtherSecret(app.privateKey) }))).toBe(
    'INVALID_CREDENTIALS',
  );
  for (const changes of [{}, { title: 'Cash' }, { project, password: PASSWORD }]) {
    await resultOf(api.updateWallet(token, wallet, changes));
  }
  for (const each of [token, accessToken]) await resultOf(api.listProjects(each));
  const { nextPageToken } = await resultOf(api.listProjects(token, { first: 1 }));
  await resultOf(api.listProjects(token, { first: 1, after: nextPageToken }));
  if (api.name === 'REST') return;

  for (const each of [token, accessToken]) {
    for (const after of [null, nextPageToken]) {
      expect(await graphqlBody(url, each, SELECT_ALL, { after })).not.toHaveProperty('errors');
    }
    let page = null;
    for (const after of [null, page]) {
      const found = await graphqlBody(url, each, FIND, { after });
      expect(found).not.toHaveProperty('errors');
      page = found.data.projects.pageInfo.endCursor;
    }
    const ids = [wallet, project, app.name];
    expect(await graphqlBody(url, each, NODES, { ids })).not.toHaveProperty('errors');
  }
  let page = null;
  for (const after of [null, page]) {
    const events = await graphqlBody(url, token, EVENTS, { resource: wallet, after });
    expect(events).not.toHaveProperty('errors');
    page = events.data.events.pageInfo.endCursor;
  }
  for (const headers of [{}, { 'idempotency-key': 'title' }, { 'idempotency-key': 'title' }]) {
    const variables = { input: { name: app.name, title: 'Till', active: true } };
    const update = mutationDocument('updateApp', 'app { id }');
    expect((await postGraphql(url, token, update, variables, headers)).status).toBe(200);
  }
  const { data } = await graphqlBody(url, token, TOKENS);
  const { endCursor: after } = data.tokens.pageInfo;
  expect(await graphqlBody(url, token, TOKENS, { after })).not.toHaveProperty('errors');
  const rotation = { name: app.name, gracePeriod: 60 };
  expect(await mutate(url, token, 'rotateAppKey', rotation)).not.toHaveProperty('errors');
  const { project: empty } = await payloadOf(
    url,
    token,
    'createProject',
    { title: 'Empty' },
    'project { name }',
  );
  for (const name of MUTATION_NAMES) {
    const spare = await createApp(api, token);
    const unused = await projectTokenOf(api, token, spare);
    const ofProject = name === 'deleteProject' ? empty.name : project;
    const input = inputOf(name, { app: spare, project: ofProject, wallet, token: unused });
    const bearer = name === 'signOut' ? unused : token;
    expect(await graphqlBody(url, bearer, documentOf(name), { input })).not.toHaveProperty('errors');
    if (!/^create(Wallet|Project)$/.test(name)) continue;
    for (const title of ['New', 'Found']) {
      const referenced = { input: { ...input, title, reference: 'a' } };
      expect(await graphqlBody(url, token, documentOf(name), referenced)).not.toHaveProperty('errors');
    }
  }
}
