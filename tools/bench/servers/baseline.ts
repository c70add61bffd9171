import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { monotonicFactory } from 'ulid';

// A server that is hand-written for speed: Node's own HTTP server, prepared statements,
// rows as arrays, one-shot hashes, and no part of the gateway. It answers only the requests
// of the benchmark, and reads only the columns that they select.

/** A project row: id, title, description, CID of the cover image. */
export type ProjectValues = readonly [id: string, title: string, description: string, cid: string];

/** A wallet row: id, title, description, project, network, address. */
export type WalletValues = readonly [string, string, string, string, string, string];

/** An app row: id, project, title, key id, key hash. */
export type AppValues = readonly [id: string, project: string, title: string, keyId: string, keyHash: string];

/** A new token of an app: account, id, project, app, key id, hash, expiry. */
export type TokenValues = readonly [string, string, string, string, string, string, number];

type MaybePromise<T> = T | Promise<T>;

/** The statements on one engine. Times are Unix milliseconds. */
export type Statements = {
  /** Returns the stored hash of a valid token, in hexadecimal digits. */
  findToken(ownerId: string, serial: string, now: number): MaybePromise<string | undefined>;
  findPage(accountId: string, after: string, limit: number): MaybePromise<readonly ProjectValues[]>;
  /** Updates a wallet, and inserts an audit event in the same transaction. It resolves when both are durable. */
  updateTitle(wallet: WalletUpdate, event: EventValues): MaybePromise<WalletValues>;
  findApp(accountId: string, id: string): MaybePromise<AppValues>;
  /** Inserts a token and an audit event in the same transaction. It resolves when both are durable. */
  insertToken(token: TokenValues, event: EventValues): MaybePromise<void>;
};

export const FIND_APP = `SELECT id, project_id, title, private_key_id, private_key_hash FROM app
WHERE account_id = $1 AND id = $2 AND active = 1`;

export const INSERT_TOKEN = `INSERT INTO token
(account_id, id, project_id, app_id, app_key_id, hash, expire_time_ms, title, is_one_project, is_read_only)
VALUES ($1, $2, $3, $4, $5, $6, $7, '', 1, 0)`;

/** The statement for an audit event. */
export const INSERT_EVENT = `INSERT INTO audit_event (account_id, id, action, resource, fields, token_id, actor_token_id, address,
request_id, event_count, last_time_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10)`;

/** The parameters of the statement. */
export type EventValues = readonly [
  accountId: string,
  id: string,
  action: string,
  resource: string,
  fields: string,
  tokenId: string | null,
  actorTokenId: string,
  address: string,
  requestId: string,
  now: number,
];

/** Updates the title of a wallet. The key of the title finds it by its beginning, and the revision is its etag. */
export type WalletUpdate = {
  readonly accountId: string;
  readonly id: string;
  readonly title: string;
  readonly revision: string;
  readonly now: number;
};

/** Who has sent a request, and its id. */
type Sender = {
  readonly accountId: string;
  readonly tokenId: string;
  readonly address: string;
  readonly requestId: string;
};

const MAX_TITLE_LENGTH = 200;

// Its default asks the kernel for each character.
const nextId = monotonicFactory(Math.random);

let requests = 0;

function eventOf(
  { accountId, tokenId, address, requestId }: Sender,
  action: string,
  resource: string,
  fields: string,
  newTokenId: string | null = null,
): EventValues {
  return [accountId, nextId(), action, resource, fields, newTokenId, tokenId, address, requestId, Date.now()];
}

const base = process.env['PUBLIC_URL'] ?? '';

/** Serves the operations of the benchmark. */
export function serveBaseline(statements: Statements): void {
  const server = createServer((request, response) => {
    if (request.method === 'GET') return answer(request, response, undefined);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, JSON.parse(Buffer.concat(chunks).toString())));
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
  });

  // biome-ignore lint/suspicious/noExplicitAny: the benchmark's own requests are not validated
  function answer(request: IncomingMessage, response: ServerResponse, body: any): void {
    const { method, url = '', headers, socket } = request;
    const token = (headers.authorization ?? '').slice('Bearer '.length);
    const ids = token.split('_')[2] ?? '';
    const accountId = ids.slice(0, 26);
    then(statements.findToken(accountId, ids.slice(26), Date.now()), (stored) => {
      if (stored === undefined || !timingSafeEqual(Buffer.from(stored), Buffer.from(hash('sha256', token)))) {
        response.writeHead(401).end();
        return;
      }
      const sender = {
        accountId,
        tokenId: ids.slice(26),
        address: socket.remoteAddress ?? '',
        requestId: `request-${requests++}`,
      };
      then(handle(sender, method, url, body), (result) => {
        const text = JSON.stringify(result);
        response.writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(text),
        });
        response.end(text);
      });
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  function handle(sender: Sender, method = '', url: string, body: any): MaybePromise<object> {
    const { accountId } = sender;
    if (method === 'GET') {
      const query = new URL(url, base).searchParams;
      const size = Number(query.get('pageSize'));
      return map(statements.findPage(accountId, placeOf(query.get('pageToken')), size + 1), (rows) => ({
        projects: rows.slice(0, size).map(projectOf),
        nextPageToken: rows.length > size ? cursorOf(rows[size - 1]?.[0] ?? '') : '',
      }));
    }
    if (method === 'PATCH') {
      return map(updateTitle(sender, url.slice('/wallet/'.length), body.title), walletOf);
    }
    if (url.startsWith('/auth/')) return signIn(sender, body.privateKey);
    const { input, first, after } = body.variables;
    if (input !== undefined) {
      return map(updateTitle(sender, input.name, input.title), (row) => {
        const { project, ...rest } = walletOf(row);
        return { data: { updateWallet: { wallet: { ...rest, project: { name: project } } } } };
      });
    }
    return map(statements.findPage(accountId, placeOf(after), first + 1), (rows) => {
      const shown = rows.length > first ? rows.slice(0, first) : rows;
      const edges = shown.map((row) => ({ cursor: cursorOf(row[0]), node: nodeOf(row) }));
      const pageInfo = { endCursor: edges.at(-1)?.cursor ?? null, hasNextPage: rows.length > first };
      return { data: { projects: { edges, pageInfo } } };
    });
  }

  function updateTitle(sender: Sender, name: string, title: string): MaybePromise<WalletValues> {
    if (title.length === 0 || title.length > MAX_TITLE_LENGTH) throw new Error('A title is too long.');
    const { accountId } = sender;
    const update = {
      accountId,
      id: name.slice('wallets/'.length),
      title,
      revision: nextId(),
      now: Date.now(),
    };
    return statements.updateTitle(update, eventOf(sender, 'wallet.update', name, 'title'));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  function signIn(sender: Sender, { name, privateKey }: any): MaybePromise<object> {
    const { accountId } = sender;
    return map(statements.findApp(accountId, name.slice('apps/'.length)), (row) => {
      const [id, project, title, keyId, keyHash] = row;
      if (!timingSafeEqual(Buffer.from(keyHash), Buffer.from(hash('sha256', privateKey))))
        throw new Error('A key is wrong.');
      const tokenId = nextId();
      const text = `paw_app_${accountId}${tokenId}_${randomBytes(32).toString('hex')}`;
      const accessToken = text + crc32(text).toString(16).padStart(8, '0');
      const expiry = Date.now() + 3_600_000;
      const token = [accountId, tokenId, project, id, keyId, hash('sha256', accessToken), expiry] as const;
      const event = eventOf(sender, 'sign_in.succeed', name, '', tokenId);
      return map(statements.insertToken(token, event), () => ({
        accessToken,
        app: { name, title, privateKey: '', active: true },
      }));
    });
  }

  function cursorOf(id: string): string {
    const place = `3${id}`;
    return btoa(place) + crc32(place).toString(16).padStart(8, '0');
  }

  function placeOf(token: string | null): string {
    if (!token) return '';
    const id = atob(token.slice(0, 36)).slice(1);
    if (cursorOf(id) !== token) throw new Error('A page token is forged.');
    return id;
  }
}

function projectOf([id, title, description, imageCoverCid]: ProjectValues) {
  return {
    name: `projects/${id}`,
    title,
    description,
    imageCoverUrl: `${base}/covers/${id}.svg`,
    imageCoverCid,
  };
}

function nodeOf([id, title, description, imageCoverCid]: ProjectValues) {
  const name = `projects/${id}`;
  const imageCoverUrl = `${base}/covers/${id}.svg`;
  return { __typename: 'Project', id: name, name, title, description, imageCoverUrl, imageCoverCid };
}

function walletOf([id, title, description, project, network, address]: WalletValues) {
  return {
    name: `wallets/${id}`,
    title,
    description,
    project: `projects/${project}`,
    network,
    address,
    password: '',
  };
}

/** Calls `next` at once, or when the promise has settled. A promise for each step would be slower. */
function then<T>(value: MaybePromise<T>, next: (value: T) => unknown): void {
  if (value instanceof Promise) value.then(next, fail);
  else next(value);
}

function map<T, R>(value: MaybePromise<T>, make: (value: T) => R): MaybePromise<R> {
  return value instanceof Promise ? value.then(make) : make(value);
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}
