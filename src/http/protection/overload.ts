import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unavailable } from '../../model/api-error.ts';
import { isHealthCheck } from '../health.ts';
import { admission } from './admission.ts';

/** The decorator of a request that has a place among those that are processed. */
const HAS_PLACE = 'hasPlace';

/**
 * Refuses requests with 503 while the server is overloaded. Health checks are always answered. A
 * request takes no place while its body is read, so that slow clients do not keep others out, and is
 * refused afterwards if no place is free.
 *
 * Must be called after `addCors`, so that pages of other origins can read the error, and before
 * hooks that do work for a request.
 *
 * @param maxRequests the maximum number of requests that are processed or wait
 */
export function addOverloadProtection(app: FastifyInstance, maxRequests: number): void {
  const places = admission(maxRequests);
  app.decorateRequest(HAS_PLACE, false);

  app.addHook('onRequest', (request, _reply, done) => {
    if (isHealthCheck(request)) return done();
    places.enter((error) => {
      request.setDecorator(HAS_PLACE, error === undefined);
      // The client may have gone while the request waited.
      done(error ?? (request.socket.destroyed ? unavailable() : undefined));
    });
  });

  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (giveUpPlace(request)) places.pause();
    done();
  });

  app.addHook('preHandler', (request, _reply, done) => {
    if (isHealthCheck(request)) return done();
    const error = places.resume();
    request.setDecorator(HAS_PLACE, error === undefined);
    done(error);
  });

  app.addHook('onSend', (request, _reply, _payload, done) => {
    if (giveUpPlace(request)) places.leave();
    done();
  });
}

/** Marks that a request has no place. Returns whether it had one. */
function giveUpPlace(request: FastifyRequest): boolean {
  const hadPlace = request.getDecorator<boolean>(HAS_PLACE);
  if (hadPlace) request.setDecorator(HAS_PLACE, false);
  return hadPlace;
}
