import { createCredential, hashCredential } from '../../credentials/credential.ts';
import type { Caller } from '../../model/caller.ts';
import { ApiError, invalidFields, projectNotVisible, unusableResource } from '../../model/errors.ts';
import {
  boolean,
  nullable,
  optional,
  parseFields,
  resourceNameValidator,
  time,
  title,
  tokenTitle,
} from '../../model/fields/fields.ts';
import { idOf, resourceName, type Ulid } from '../../model/resource-name.ts';
import { DEFAULT_TOKEN_DAYS, MAX_MADE_TOKENS, type Token } from '../../model/token.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import { lockProject } from '../../storage/tables/projects.ts';
import { countMadeTokens, insertTokenChange, lockMaker } from '../../storage/tables/tokens.ts';
import { write } from '../../storage/work/change.ts';
import { requireAccount } from '../access/account-of.ts';
import { recordAct } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { tokenFromRow } from '../conversions/token.ts';

const DEFAULT_LIFETIME_MS = DEFAULT_TOKEN_DAYS * 86_400_000;

const projectName = resourceNameValidator('projects');

const INPUT = {
  title,
  expireTime: nullable(time),
  readOnly: nullable(boolean),
  project: nullable(projectName),
};

const ACCOUNT = { account: resourceNameValidator('accounts') };

const OPERATOR_INPUT = {
  ...ACCOUNT,
  title: optional(tokenTitle),
  expireTime: optional(time),
  readOnly: optional(boolean),
  project: optional(projectName),
  onlyProject: optional(projectName),
};

/** A token with its text, which only its creation returns. */
export type NewToken = Token & { readonly accessToken: string };

/** Who creates a token, and the most that the token may have. */
type Maker = {
  readonly accountId: Ulid;
  readonly tokenId: Ulid | null;
  /** The project of new apps, if the token has no other one. */
  readonly projectId: Ulid;
  readonly expireTimeMs: number;
};

createToken.rules = { caller: 'issued by operator', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Creates an account token. A client's token has at most the permissions of the token of the request, creates no tokens,
 * and expires or is revoked with it.
 *
 * @param input `title` and, optionally, `expireTime`, by default in `DEFAULT_TOKEN_DAYS` or with the token of the
 *   request; `readOnly`; and `project`, the only project that the token has access to. The operator names the `account`,
 *   can leave the `title` out, and has either `project`, the default project of new apps, or `onlyProject`
 * @throws INVALID_ARGUMENT for the field `project` if it does not exist
 * @throws FAILED_PRECONDITION if the token of the request has made `MAX_MADE_TOKENS` valid tokens
 */
export async function createToken(call: Call | OperatorContext, input: UntrustedInput): Promise<NewToken> {
  const { database, clock, newId } = begin(call, createToken.rules);
  const { caller } = call;
  const { title = '', expireTime, readOnly, project, onlyProject } = fieldsOf(caller, input);
  const now = clock();
  return database.transaction(async (transaction) => {
    const maker = await makerOf(transaction, caller, input, now);
    const { accountId } = maker;
    const expireTimeMs = expireTime ?? Math.min(now + DEFAULT_LIFETIME_MS, maker.expireTimeMs);
    if (expireTimeMs <= now || expireTimeMs > maker.expireTimeMs) {
      const description = 'Must be in the future, and not later than the expiry of the token that you use.';
      throw invalidFields([{ field: 'expireTime', description }]);
    }
    const named = project ?? onlyProject;
    const projectId = named === undefined ? maker.projectId : idOf(named);
    if ((await lockProject(transaction, accountId, projectId)) === undefined) {
      if (caller !== 'operator') throw projectNotVisible();
      const field = onlyProject === undefined ? 'project' : 'onlyProject';
      throw unusableResource(field, 'Must be a project of the account.');
    }
    const id = newId();
    const accessToken = createCredential('acct', accountId, id);
    const row = {
      account_id: accountId,
      id,
      project_id: projectId,
      app_id: null,
      app_key_id: null,
      maker_token_id: maker.tokenId,
      hash: hashCredential(accessToken),
      title,
      is_one_project: onlyProject === undefined ? 0 : 1,
      is_read_only: readOnly ? 1 : 0,
      expire_time_ms: expireTimeMs,
    } as const;
    await write(transaction, insertTokenChange(row));
    const act = {
      action: 'token.create',
      resource: resourceName('accounts', accountId),
      tokenId: id,
    } as const;
    await recordAct(transaction, { caller, newId }, { accountId, ...act });
    return { ...tokenFromRow({ ...row, last_use_time_ms: null }), accessToken };
  });
}

function fieldsOf(caller: Caller | 'operator', input: UntrustedInput) {
  if (caller !== 'operator') {
    const { project: onlyProject, ...fields } = parseFields(input, INPUT);
    return { ...fields, project: undefined, onlyProject };
  }
  const fields = parseFields(input, OPERATOR_INPUT);
  if (fields.project !== undefined && fields.onlyProject !== undefined) {
    throw invalidFields([{ field: 'onlyProject', description: 'Must be omitted if project is set.' }]);
  }
  return fields;
}

async function makerOf(
  transaction: Queryable,
  caller: Caller | 'operator',
  input: UntrustedInput,
  now: number,
): Promise<Maker> {
  if (caller === 'operator') {
    const { account } = parseFields(input, ACCOUNT);
    const { id, default_project_id } = await requireAccount(transaction, account);
    return {
      accountId: id,
      tokenId: null,
      projectId: default_project_id,
      expireTimeMs: Number.POSITIVE_INFINITY,
    };
  }
  const { accountId, tokenId, projectId } = caller.principal;
  const row = await lockMaker(transaction, accountId, tokenId);
  if (row === undefined) throw new ApiError('TOKEN_INVALID');
  const count = await countMadeTokens(transaction, { accountId, id: tokenId }, now);
  if (count >= MAX_MADE_TOKENS) throw new ApiError('TOO_MANY_TOKENS');
  return { accountId, tokenId, projectId, expireTimeMs: row.expire_time_ms };
}
