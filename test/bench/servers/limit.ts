import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { ulid } from 'ulid';

// What somebody would write by hand who wanted nothing but speed: Node's own server, its
// own statements, and no part of the gateway. It answers the benchmark's requests alone.

const LIFE_MS = 3_600_000;

type Principal = { readonly accountId: string; readonly projectId?: string };
type Row = Readonly<Record<string, string & number>>;

const database = new DatabaseSync(process.env['DATABASE_FILE'] ?? '');
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000');

const findToken = database.prepare(
  'SELECT value FROM keyv WHERE namespace = ? AND key = ? AND expire_time_ms > ?',
);
const findPage = database.prepare(
  `SELECT id, title, description, image_cover_cid FROM project
   WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
);
const countProjects = database.prepare('SELECT project_count FROM account WHERE id = ?');
const updateTitle = database.prepare(
  `UPDATE wallet SET title = ?, update_time_ms = ? WHERE account_id = ? AND id = ?
   RETURNING id, title, description, project_id, network, address`,
);
const findApp = database.prepare(
  'SELECT id, project_id, active, private_key_hash FROM app WHERE account_id = ? AND id = ?',
);
const insertToken = database.prepare(
  'INSERT INTO keyv (namespace, key, value, expire_time_ms) VALUES (?, ?, ?, ?)',
);
const key = Buffer.from(String(database.prepare('SELECT key FROM page_token_key').get()?.['key']), 'hex');

const server = createServer((request, response) => {
  if (request.method === 'GET') return answer(request, response, '');
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
});

const base = process.env['PUBLIC_URL'] ?? '';
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const principal = authenticate(request.headers.authorization ?? '');
  if (principal === undefined) {
    response.writeHead(401).end();
    return;
  }
  const text = JSON.stringify(handle(principal, request, body));
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function handle(principal: Principal, { method, url = '' }: IncomingMessage, body: string): object {
  if (method === 'GET') {
    const query = new URL(url, base).searchParams;
    const { projects, next } = page(
      principal,
      Number(query.get('pageSize') ?? 10),
      query.get('pageToken') ?? '',
    );
    return { projects, nextPageToken: next ?? '' };
  }
  if (method === 'PATCH')
    return wallet(principal, url.slice('/wallet/wallets/'.length), JSON.parse(body).title);
  const { variables } = JSON.parse(body);
  if (variables.input?.privateKey !== undefined) {
    return { data: { signIn: { accessToken: signIn(principal, variables.input) } } };
  }
  if (variables.input !== undefined) {
    const { name, title } = variables.input;
    const { project, ...rest } = wallet(principal, name.slice('wallets/'.length), title);
    return { data: { updateWallet: { wallet: { ...rest, project: { name: project } } } } };
  }
  const { projects, next, last } = page(principal, variables.first, variables.after ?? '');
  return {
    data: {
      projects: {
        totalCount: countProjects.get(principal.accountId)?.['project_count'],
        nodes: projects,
        pageInfo: { hasNextPage: next !== undefined, endCursor: last },
      },
    },
  };
}

function authenticate(header: string): Principal | undefined {
  const token = header.slice('Bearer '.length);
  const ids = token.split('_')[2] ?? '';
  const row = findToken.get(ids.slice(0, 26), ids.slice(26), Date.now()) as Row | undefined;
  if (row === undefined) return undefined;
  const { value } = JSON.parse(String(row['value']));
  const right = timingSafeEqual(Buffer.from(value.hash), Buffer.from(hash('sha256', token)));
  return right ? value.principal : undefined;
}

function signIn(
  { accountId }: Principal,
  sent: { readonly name: string; readonly privateKey: string },
): string {
  const app = findApp.get(accountId, sent.name.slice('apps/'.length)) as Row;
  const right = timingSafeEqual(
    Buffer.from(String(app['private_key_hash'])),
    Buffer.from(hash('sha256', sent.privateKey)),
  );
  if (!right || !app['active']) throw new Error('The key is not that of an active app.');
  const serial = ulid();
  const body = `paw_app_${app['id']}${serial}_${randomBytes(32).toString('hex')}`;
  const token = body + crc32(body).toString(16).padStart(8, '0');
  const expires = Date.now() + LIFE_MS;
  const owner = { level: 'project', accountId, projectId: app['project_id'] };
  const record = { value: { hash: hash('sha256', token), principal: owner }, expires };
  insertToken.run(String(app['id']), serial, JSON.stringify(record), expires);
  return token;
}

function page({ accountId }: Principal, size: number, token: string) {
  const after = token === '' ? '' : placeOf(token);
  const rows = findPage.all(accountId, after, size + 1) as Row[];
  const shown = rows.slice(0, size);
  const last = shown.at(-1)?.['id'];
  const cursor = last === undefined ? undefined : cursorOf(last);
  return {
    projects: shown.map(({ id, title, description, image_cover_cid }) => ({
      name: `projects/${id}`,
      title,
      description,
      imageCoverUrl: `${base}/covers/${id}.svg`,
      imageCoverCid: image_cover_cid,
    })),
    last: cursor,
    next: rows.length > size ? cursor : undefined,
  };
}

function wallet({ accountId }: Principal, id: string, title: string) {
  const row = updateTitle.get(title, Date.now(), accountId, id) as Row;
  return {
    name: `wallets/${row['id']}`,
    title: row['title'],
    description: row['description'],
    project: `projects/${row['project_id']}`,
    network: row['network'],
    address: row['address'],
    password: '',
  };
}

function cursorOf(id: string): string {
  const place = `1${id}`;
  const mac = createHmac('sha256', key).update(place).digest().subarray(0, 15);
  return Buffer.concat([Buffer.from(place), mac]).toString('base64url');
}

function placeOf(token: string): string {
  const id = Buffer.from(token, 'base64url').toString('latin1').slice(1, 27);
  if (cursorOf(id) !== token) throw new Error('A page token is forged.');
  return id;
}
