import type { FastifyInstance } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import type { Principal } from '../model/principal.ts';
import { unpackInteger, unpackObject, unpackQuery, withNames } from './unpack.ts';
import { appView, projectView, walletView } from './views.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
  }
}

/** Adds the REST face: the four paths of the specification. */
export function addRestFace(root: FastifyInstance, data: DataLayer): void {
  root.register(async (app) => {
    app.decorateRequest('principal');
    // Before the body is read: who may not ask is not heard.
    app.addHook('onRequest', async (request) => {
      request.principal = await request.authenticate();
      if (request.method !== 'GET' && request.method !== 'HEAD') unpackQuery(request.query, []);
    });

    app.post('/auth/apps', async ({ principal, body }) => {
      const sent = unpackObject(body, ['title', 'active']);
      return appView(await data.createApp(principal, sent));
    });

    // A colon stands for itself where it is doubled.
    app.post('/auth/accounts::signinIdentity', async ({ principal, body }) => {
      const { privateKey } = unpackObject(body, ['privateKey']);
      const sent = unpackObject(privateKey, ['name', 'privateKey'], 'privateKey');
      const names = { name: 'privateKey.name', privateKey: 'privateKey.privateKey' };
      const result = await withNames(names, () => data.signIn(principal, sent));
      return { accessToken: result.accessToken, app: appView(result.app) };
    });

    // The slash of the wallet's name may come plain or as %2F.
    app.patch<{ Params: { '*': string } }>('/wallet/*', async ({ principal, params, body }) => {
      const sent = unpackObject(body, ['title', 'description', 'project', 'network', 'password']);
      return walletView(await data.updateWallet(principal, { ...sent, name: params['*'] }));
    });

    app.get('/project/projects', async ({ principal, query }) => {
      const { pageSize, pageToken } = unpackQuery(query, ['pageSize', 'pageToken']);
      const names = { first: 'pageSize', after: 'pageToken' };
      const page = await withNames(names, () =>
        data.listProjects(principal, { first: unpackInteger(pageSize), after: pageToken }),
      );
      const last = page.items.at(-1);
      return {
        projects: page.items.map(projectView),
        nextPageToken: last && page.hasNextPage ? page.cursorOf(last) : '',
      };
    });
  });
}
