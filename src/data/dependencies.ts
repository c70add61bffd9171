import type { PasswordHasher } from '../credentials/password-hasher.ts';
import type { PageTokens } from '../model/page-token.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { BackgroundWrites } from '../storage/background-writes.ts';
import type { Database } from '../storage/database.ts';
import type { TokenStore } from '../storage/token-store.ts';

/** The dependencies of the public operations. */
export type Dependencies = {
  readonly database: Database;
  readonly tokens: TokenStore;
  readonly backgroundWrites: Pick<BackgroundWrites, 'add'>;
  readonly passwords: Pick<PasswordHasher, 'hash'>;
  readonly pageTokens: PageTokens;
  /** Returns the current time, in Unix milliseconds. */
  readonly clock: () => number;
  /** Returns a new ULID, which sorts after all earlier ones. */
  readonly newId: () => Ulid;
  /** The lifetime of a project token, in seconds. */
  readonly tokenTtlSeconds: number;
  /** The maximum number of valid project tokens of an app. */
  readonly maxTokensPerApp: number;
  /** The bytes of responses that are kept for one account within 24 hours. */
  readonly maxKeptBytes: number;
  /** Is called after each sign-in, with `OK` or the reason of the error. */
  readonly onSignIn?: ((outcome: string) => void) | undefined;
  /** Is called with the error of a write whose failure changes no response. */
  readonly onIgnored?: ((error: unknown) => void) | undefined;
  /** Returns the public URL of the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
};

/** The dependencies of the operations that only the operator can call. */
export type AdminContext = Pick<Dependencies, 'clock' | 'newId' | 'publicUrl'> & {
  readonly database: Pick<Database, 'read' | 'write' | 'transaction'>;
};
