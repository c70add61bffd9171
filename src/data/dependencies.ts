import type { PasswordHasher } from '../credentials/password-hasher.ts';
import type { PageTokens } from '../model/page-token.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Database } from '../storage/database.ts';
import type { Tokens } from '../storage/tokens.ts';

/** What the operations work with. */
export type Dependencies = {
  readonly database: Database;
  readonly tokens: Tokens;
  readonly passwords: PasswordHasher;
  readonly pageTokens: PageTokens;
  /** Tells the time, in Unix milliseconds. */
  readonly clock: () => number;
  /** Makes a ULID that sorts after all it made before. */
  readonly newId: () => Ulid;
  /** How long an access token lives, in seconds. */
  readonly tokenTtlSeconds: number;
  /** Returns the URL that clients reach the gateway at, without a slash at its end. */
  readonly publicUrl: () => string;
};
