import { decodeTime } from 'ulid';
import type { App, AppKey } from '../../model/app.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { AppRow } from '../../storage/tables/apps.ts';

/**
 * @param now the current time, in Unix milliseconds, for the end of the previous key
 * @param privateKey the private key, only in the results of `createApp` and `rotateAppKey`
 */
export function appFromRow(row: AppRow, now: number, privateKey = ''): App {
  const name = resourceName('apps', row.id);
  return {
    id: name,
    name,
    title: row.title,
    privateKey,
    active: row.active === 1,
    project: resourceName('projects', row.project_id),
    lastSignInTimeMs: row.last_sign_in_time_ms ?? undefined,
    keys: keysOf(row, now),
    createTimeMs: row.create_time_ms,
    etag: row.revision,
  };
}

function keysOf(
  { private_key_id: id, previous_key_id: previousId, previous_key_expire_time_ms: endMs }: AppRow,
  now: number,
): readonly AppKey[] {
  const key = { id, createTimeMs: decodeTime(id), expireTimeMs: undefined };
  if (previousId === null || endMs === null || endMs <= now) return [key];
  return [key, { id: previousId, createTimeMs: decodeTime(previousId), expireTimeMs: endMs }];
}
