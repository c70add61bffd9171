import { hash } from 'node:crypto';
import { decodeTime, encodeTime, ulid } from 'ulid';
import { lockAccount, requireAccount } from '../data/access/account-of.ts';
import { auditEvent } from '../data/audit/audit.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { projectRows } from '../data/conversions/project.ts';
import { NEW_WALLET, newWalletRow } from '../data/conversions/wallet.ts';
import { createProject } from '../data/projects/create-project.ts';
import { type ApiError, invalidFields } from '../model/errors.ts';
import {
  description,
  optional,
  parseFields,
  reference,
  rejectUnknownFields,
  resourceNameValidator,
  time,
  withFields,
} from '../model/fields/fields.ts';
import { isJsonObject, type JsonObject, parseJson } from '../model/fields/json.ts';
import { idOf, type ResourceName, resourceName, type Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/interface/database.ts';
import { findOwners, findReferences, forEachBatch, insertRows } from '../storage/jobs/bulk-rows.ts';
import { deleteAddresses } from '../storage/jobs/supplied-addresses.ts';
import { type NewProjectRow, updateProjectCount } from '../storage/tables/projects.ts';
import type { NewWalletRow, WalletRow } from '../storage/tables/wallets.ts';
import { meterOf, type OnProgress } from '../storage/work/progress.ts';

// In the order of their creation. Each is also the type of its lines.
const TABLES = ['project', 'wallet'] as const;

type Table = (typeof TABLES)[number];

/** A line of a file as the row of its project or wallet, with every column that it must have. */
type ImportedLine = {
  readonly line: number;
  readonly table: Table;
  readonly row: NewProjectRow | (NewWalletRow & Pick<WalletRow, 'address'>);
  readonly name: ResourceName<'projects' | 'wallets'>;
  /** The project of a wallet. */
  readonly project?: ResourceName<'projects'>;
};

// All are in memory until the last line was read.
const MAX_ROWS = 1_000_000;

// An export has an empty text for none.
const REFERENCE = { reference: (value: unknown) => (value === '' ? undefined : optional(reference)(value)) };

const PROJECT = {
  name: optional(resourceNameValidator('projects')),
  ...createProject.rules.input,
  description: optional(description),
  ...REFERENCE,
  createTime: optional(time),
};

const WALLET = {
  ...NEW_WALLET,
  ...REFERENCE,
  createTime: optional(time),
  updateTime: optional(time),
  // An export has an empty text for a missing value.
  archiveTime: optional((value) => (value === '' ? undefined : time(value))),
};

// The image follows from the name.
const PROJECT_FIELDS = ['type', 'imageCoverUrl', 'imageCoverCid', ...Object.keys(PROJECT)];
const WALLET_FIELDS = ['type', ...Object.keys(WALLET)];

/**
 * What else an export has. Secrets are not in an export, so its apps and tokens could not be used. An address that is
 * left could be given to a wallet of each account.
 */
const OTHER_TYPES: readonly unknown[] = ['account', 'app', 'token', 'address', 'event'];

/**
 * Creates the projects and wallets in the lines of an export, in batches, with an audit event for each. Those that exist in
 * the account are left unchanged, so a second call completes an import that was interrupted. One without a name gets
 * one that is the same in a second call.
 *
 * @param input the name of the `account`
 * @param lines the lines; undefined is one that is not text, or too long
 * @throws INVALID_ARGUMENT for the first line at fault, and changes nothing
 */
export async function importAccount(
  operator: OperatorContext,
  input: UntrustedInput,
  lines: AsyncIterable<string | undefined>,
  onProgress?: OnProgress,
): Promise<{ readonly projects: number; readonly wallets: number }> {
  const { account } = parseFields(input, { account: resourceNameValidator('accounts') });
  const { database } = operator;
  const accountId = idOf(account);
  const read = await readLines(operator, accountId, lines);
  await requireAccount(database, account);
  const missing = await newLines(database, accountId, read);
  const onInserted = meterOf(onProgress, missing.length);
  const counts = { project: 0, wallet: 0 };
  for (const table of TABLES) {
    const ofTable = missing.filter((each) => each.table === table);
    await forEachBatch(database, ofTable, async (transaction, batch) => {
      await lockAccount(transaction, accountId);
      await requireAccount(transaction, account);
      // Another import can have created some.
      const created = await newLines(transaction, accountId, batch);
      await insertLines(transaction, operator, accountId, created);
      counts[table] += created.length;
      onInserted(batch.length);
    });
  }
  return { projects: counts.project, wallets: counts.wallet };
}

/** Inserts projects, or wallets, with an event for each. */
async function insertLines(
  transaction: Queryable,
  operator: OperatorContext,
  accountId: Ulid,
  lines: readonly ImportedLine[],
): Promise<void> {
  const [first] = lines;
  if (first === undefined) return;
  const action = `${first.table}.create` as const;
  const events = lines.map(({ name }) => auditEvent(operator, { accountId, action, resource: name }));
  await insertRows(transaction, 'audit_event', events);
  const rows = lines.map(({ row }) => row);
  const addresses = rows.flatMap((row) => ('address' in row ? [row.address] : []));
  await deleteAddresses(transaction, accountId, addresses);
  await insertRows(transaction, first.table, rows);
  if (first.table === 'project') await updateProjectCount(transaction, accountId, rows.length);
}

async function readLines(
  operator: OperatorContext,
  accountId: Ulid,
  lines: AsyncIterable<string | undefined>,
): Promise<readonly ImportedLine[]> {
  const newProjectRow = await projectRows(operator, accountId);
  const read: ImportedLine[] = [];
  // By the names, and by the references after their types.
  const lineOf = new Map<string, number>();
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text?.trim() === '') continue;
    const record = text === undefined ? undefined : parseJson(text);
    if (!isJsonObject(record)) throw invalidLine(line, 'a JSON object in UTF-8, of at most 100,000 bytes');
    if (OTHER_TYPES.includes(record['type'])) continue;
    const table = TABLES.find((each) => each === record['type']);
    if (table === undefined) throw invalidLine(line, '"project" or "wallet"', 'type');
    const named = withName(accountId, line, table, record);
    const parse = () =>
      table === 'project' ? ofProject(named, newProjectRow) : ofWallet(operator, accountId, named);
    const imported = { line, table, ...inLine(line, parse) };
    const { name, row } = imported;
    const unique = { name, ...(row.reference && { reference: `${table} ${row.reference}` }) };
    for (const [field, key] of Object.entries(unique)) {
      const other = lineOf.get(key);
      if (other !== undefined) throw invalidLine(line, `another ${field} than in line ${other}`, field);
      lineOf.set(key, line);
    }
    read.push(imported);
    if (read.length > MAX_ROWS)
      throw invalidLine(line, `one of the first ${MAX_ROWS} projects and wallets of a file`);
  }
  return read;
}

/** Names a record that has no name, so a second import of the file finds it. The names are in the order of the lines. */
function withName(accountId: Ulid, line: number, table: Table, record: JsonObject): JsonObject {
  if (record['name'] !== undefined) return record;
  const bytes = hash('sha256', JSON.stringify([accountId, line, record]), 'buffer');
  let next = 0;
  const id = ulid(decodeTime(accountId), () => (bytes[next++] ?? 0) / 256);
  return { ...record, name: `${table}s/${id.slice(0, 10)}${encodeTime(line, 5)}${id.slice(15)}` };
}

type Parsed = Omit<ImportedLine, 'line' | 'table'>;

function ofProject(record: JsonObject, newRow: Awaited<ReturnType<typeof projectRows>>): Parsed {
  rejectUnknownFields(Object.keys(record), PROJECT_FIELDS);
  const row = newRow(parseFields(record, PROJECT));
  return { name: resourceName('projects', row.id), row };
}

function ofWallet(operator: OperatorContext, accountId: Ulid, record: JsonObject): Parsed {
  rejectUnknownFields(Object.keys(record), WALLET_FIELDS);
  const fields = parseFields(record, WALLET);
  const row = { ...newWalletRow(operator, accountId, fields), address: fields.address };
  return { name: resourceName('wallets', row.id), project: fields.project, row };
}

/**
 * Returns the lines whose resources do not exist yet.
 *
 * @throws INVALID_ARGUMENT for a name that another account has, for a wallet whose project is neither in the file nor in the
 *   account, and for a reference that another resource of the account has
 */
async function newLines(
  transaction: Queryable,
  accountId: Ulid,
  lines: readonly ImportedLine[],
): Promise<readonly ImportedLine[]> {
  const inFile = new Set<ResourceName>(lines.map(({ name }) => name));
  const named = new Set(lines.flatMap(({ name, project }) => [name, ...(project ? [project] : [])]));
  const owners = await findOwners(transaction, [...named]);
  const missing = lines.filter(({ line, name, project }) => {
    const owner = owners.get(name);
    if (owner === accountId) return false;
    if (owner !== undefined) throw invalidLine(line, 'a name that no other account has', 'name');
    if (project !== undefined && !inFile.has(project) && owners.get(project) !== accountId)
      throw invalidLine(line, 'a project of the file or of the account', 'project');
    return true;
  });
  for (const table of TABLES) {
    const ofTable = missing.filter((each) => each.table === table);
    const references = ofTable.flatMap(({ row }) => row.reference ?? []);
    const taken = await findReferences(transaction, table, accountId, references);
    const other = ofTable.find(({ row }) => row.reference !== null && taken.has(row.reference));
    if (other)
      throw invalidLine(other.line, `a reference that no other ${table} of the account has`, 'reference');
  }
  return missing;
}

/** Adds the number of the line to the fields of an error. */
function inLine<T>(line: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw withFields(error, (field) => `line ${line}: ${field}`);
  }
}

function invalidLine(line: number, wanted: string, field?: string): ApiError {
  const place = field === undefined ? `line ${line}` : `line ${line}: ${field}`;
  return invalidFields([{ field: place, description: `Must be ${wanted}.` }]);
}
