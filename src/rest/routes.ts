import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import { type Authenticate, authenticatedPrincipal } from '../http/authorization.ts';
import { RequestClient } from '../http/client.ts';
import type { Principal } from '../model/principal.ts';
import { createApp, listProjects, signIn, updateWallet } from './operations.ts';
import { repeatable } from './repeatable.ts';
import { renameFields, unpackInteger, unpackObject, unpackQuery } from './unpack.ts';
import { appView, pageView, signInView, walletView } from './views.ts';

/** Adds the routes of the REST API: the four paths of the specification. */
export function addRestApi(root: FastifyInstance, data: DataLayer, authenticate: Authenticate): void {
  root.register(async (app) => {
    // Before the body is read, so that a client without a valid token can't send one.
    app.addHook('onRequest', async (request) => {
      await authenticate(request);
      if (request.routeOptions.url !== listProjects.route) unpackQuery(request.query, {});
    });

    app.post(createApp.route, (request, reply) => {
      const principal = principalOf(request);
      const client = new RequestClient(request, reply);
      return repeatable(data.during(client), principal, request, reply, async (on) => {
        const input = unpackObject(request.body, createApp.body);
        return appView(await on.createApp(principal, input, client));
      });
    });

    app.post(signIn.route, (request, reply) => {
      const principal = principalOf(request);
      const client = new RequestClient(request, reply);
      return repeatable(data.during(client), principal, request, reply, async (on) => {
        const { privateKey } = unpackObject(request.body, signIn.body);
        const input = unpackObject(privateKey, signIn.body.privateKey.fields, 'privateKey');
        const names = { name: 'privateKey.name', privateKey: 'privateKey.privateKey' };
        return signInView(await renameFields(names, () => on.signIn(principal, input, client)));
      });
    });

    app.patch<{ Params: { '*': string } }>(updateWallet.route, (request, reply) => {
      const principal = principalOf(request);
      const client = new RequestClient(request, reply);
      return repeatable(data.during(client), principal, request, reply, async (on) => {
        const changes = unpackObject(request.body, updateWallet.body);
        const input = { ...changes, name: request.params['*'] };
        return walletView(await on.updateWallet(principal, input, client));
      });
    });

    app.get(listProjects.route, async (request, reply) => {
      const own = data.during(new RequestClient(request, reply));
      const { pageSize, pageToken } = unpackQuery(request.query, listProjects.query);
      const input = { first: unpackInteger(pageSize), after: pageToken };
      const names = { first: 'pageSize', after: 'pageToken' };
      return pageView(await renameFields(names, () => own.listProjects(principalOf(request), input)));
    });
  });
}

function principalOf(request: FastifyRequest): Principal {
  const principal = authenticatedPrincipal(request);
  if (principal === undefined) throw new Error('A route was called before the authentication.');
  return principal;
}
