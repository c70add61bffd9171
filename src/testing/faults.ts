import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { operatorContext } from '../data/call/call.ts';
import type { DataLayer } from '../data/data-layer.ts';
import { revokeToken } from '../data/tokens/revoke-token.ts';
import { routeOf } from '../http/request/request-notes.ts';
import { ApiError } from '../model/errors.ts';
import type { FaultPoints } from '../server.ts';
import type { Database, DatabaseRequest } from '../storage/interface/database.ts';
import { resultUnknown, unavailable } from '../storage/interface/database-error.ts';
import { checkFault, type FaultName, type FaultOptions } from './fault.ts';

type Fault = { readonly name: FaultName; readonly isLasting: boolean; isTaken: boolean } & FaultOptions;

/** The operations by their routes. Those of a GraphQL request are in its document. */
const OPERATIONS: Readonly<Record<string, string>> = {
  '/graphql': '',
  '/auth/apps': 'createApp',
  '/auth/accounts:signinIdentity': 'signIn',
  '/wallet/*': 'updateWallet',
  '/project/projects': 'projects',
  '/oauth/token': 'token',
};

const DELAY_MS = 2000;

const CAUSE = new Error('A fault of the test');

/** Makes faults where they arise: at the socket, at the rate limiter, at the tokens, and at the port of the database. */
export class Faults implements FaultPoints {
  readonly #clock: () => number;
  #waiting: Fault[] = [];
  // By the id of the request.
  readonly #current = new Map<string, Fault>();
  #database: Database | undefined;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** @param isLasting whether it is for each request until it is cleared, and not only for the next one */
  add(name: FaultName, options: FaultOptions = {}, isLasting = false): void {
    checkFault(name, options);
    this.#waiting.push({ ...options, name, isLasting, isTaken: false });
  }

  /** Removes all faults. @throws Error if one had no request */
  clear(): void {
    const unused = this.#waiting.filter(({ isTaken }) => !isTaken);
    this.#waiting = [];
    if (unused.length === 0) return;
    const names = unused.map(({ name, operation }) => (operation ? `${name} of ${operation}` : name));
    throw new Error(`No request had these faults: ${names.join(', ')}.`);
  }

  /** Returns the database, of which that for a request has its fault. */
  wrapDatabase(database: Database): Database {
    this.#database = database;
    const wrapped: Database = {
      ...database,
      forRequest: (request) => withFault(this.#faultOf(request), database) ?? wrapped,
    };
    return wrapped;
  }

  addHooks(app: FastifyInstance, data: DataLayer): void {
    app.addHook('preHandler', async (request) => {
      const fault = this.#take(request);
      if (fault === undefined) return;
      this.#current.set(request.id, fault);
      if (fault.name === 'rate-limited') throw new ApiError('TOO_MANY_REQUESTS', { retryAfterSeconds: 1 });
      if (fault.name === 'token-revoked') await this.#revokeTokenOf(request, data);
    });
    app.addHook('onSend', async (request) => {
      const fault = this.#current.get(request.id);
      this.#current.delete(request.id);
      if (fault?.name === 'answer-lost') request.raw.socket.destroy();
    });
  }

  /** Returns the first fault that is for the request, and removes it unless it lasts. */
  #take(request: FastifyRequest): Fault | undefined {
    const operation = OPERATIONS[routeOf(request) ?? ''];
    if (operation === undefined) return undefined;
    const words = operation || JSON.stringify(request.body ?? request.query);
    const isFor = (fault: Fault) => new RegExp(`\\b${RegExp.escape(fault.operation ?? '')}\\b`).test(words);
    const fault = this.#waiting.find(isFor);
    if (fault === undefined) return undefined;
    fault.isTaken = true;
    if (!fault.isLasting) this.#waiting.splice(this.#waiting.indexOf(fault), 1);
    return fault;
  }

  #faultOf(request: DatabaseRequest): Fault | undefined {
    return 'requestId' in request ? this.#current.get(String(request.requestId)) : undefined;
  }

  /** @throws UNAUTHENTICATED, because the token is no longer valid */
  async #revokeTokenOf(request: FastifyRequest, data: DataLayer): Promise<void> {
    const [, token] = request.headers.authorization?.split(' ') ?? [];
    if (token === undefined || this.#database === undefined) return;
    await revokeToken(operatorContext(this.#database, undefined, this.#clock), token);
    await data.authenticate(token);
  }
}

/** Returns the database with the fault of a request, or undefined if it has none. */
function withFault(fault: Fault | undefined, database: Database): Database | undefined {
  switch (fault?.name) {
    case 'unavailable':
      return around(database, async () => {
        throw unavailable(CAUSE);
      });
    case 'slow':
      return around(database, async (run) => {
        await setTimeout(fault.delayMs ?? DELAY_MS);
        return run();
      });
    case 'result-unknown':
      return around(database, async (run, isRead) => {
        const result = await run();
        if (!isRead) throw resultUnknown(CAUSE);
        return result;
      });
    default:
      return undefined;
  }
}

/** Returns the database with `wrap` around each statement and transaction. */
function around(
  database: Database,
  wrap: <T>(run: () => Promise<T>, isRead: boolean) => Promise<T>,
): Database {
  const wrapped: Database = {
    read: (sql, params) => wrap(() => database.read(sql, params), true),
    write: (sql, params) => wrap(() => database.write(sql, params), false),
    writeIfFirst: (changes) => wrap(() => database.writeIfFirst(changes), false),
    transaction: (work, account) => wrap(() => database.transaction(work, account), false),
    forRequest: () => wrapped,
  };
  return wrapped;
}
