import type { FastifyInstance } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import type { Principal } from '../model/principal.ts';
import { createApp, listProjects, signIn, updateWallet } from './operations.ts';
import { renameFields, unpackInteger, unpackObject, unpackQuery } from './unpack.ts';
import { appView, pageView, signInView, walletView } from './views.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
  }
}

/** Adds the REST API: the four paths of the specification. */
export function addRestApi(root: FastifyInstance, data: DataLayer): void {
  root.register(async (app) => {
    app.decorateRequest('principal');
    // Before the body is read: who may not ask is not heard.
    app.addHook('onRequest', async (request) => {
      request.principal = await request.authenticate();
      if (request.method !== 'GET' && request.method !== 'HEAD') unpackQuery(request.query, {});
    });

    app.post(createApp.route, async ({ principal, body }) => {
      const sent = unpackObject(body, createApp.body);
      return appView(await data.createApp(principal, sent));
    });

    app.post(signIn.route, async ({ principal, body }) => {
      const { privateKey } = unpackObject(body, signIn.body);
      const sent = unpackObject(privateKey, signIn.body.privateKey.fields, 'privateKey');
      const names = { name: 'privateKey.name', privateKey: 'privateKey.privateKey' };
      return signInView(await renameFields(names, () => data.signIn(principal, sent)));
    });

    app.patch<{ Params: { '*': string } }>(updateWallet.route, async ({ principal, params, body }) => {
      const sent = unpackObject(body, updateWallet.body);
      return walletView(await data.updateWallet(principal, { ...sent, name: params['*'] }));
    });

    app.get(listProjects.route, async ({ principal, query }) => {
      const { pageSize, pageToken } = unpackQuery(query, listProjects.query);
      const names = { first: 'pageSize', after: 'pageToken' };
      const sent = { first: unpackInteger(pageSize), after: pageToken };
      return pageView(await renameFields(names, () => data.listProjects(principal, sent)));
    });
  });
}
