-- A TEXT is compared by its bytes, on PostgreSQL with a COLLATE clause that `migrationsAfter` adds.

-- The key of every table with an account begins with the account.

-- Some commands find a row by its name, without the account. They use an index on the name: an index on the id alone
-- would mislead the query planner of PostgreSQL. A generic plan could scan it, and so the rows of all accounts, to read
-- the rows of one account.

CREATE TABLE account (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  default_project_id TEXT NOT NULL,
  -- Changed with every insertion and deletion of a project, so that the total count of a list is one row to read.
  project_count BIGINT NOT NULL,
  -- Changed with every insertion and deletion of an app, which it limits.
  app_count BIGINT NOT NULL DEFAULT 0,
  -- The tokens of an account that is not ACTIVE are refused.
  state TEXT NOT NULL DEFAULT 'ACTIVE',
  create_time_ms BIGINT NOT NULL
);

CREATE TABLE project (
  account_id TEXT NOT NULL REFERENCES account (id),
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  -- Made from the title, so that it is found by its beginning.
  title_key TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL,
  image_cover_cid TEXT NOT NULL,
  -- The name that the client gives it. Null without one.
  reference TEXT,
  create_time_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX project_by_name ON project (('projects/' || id));
CREATE INDEX project_by_title ON project (account_id, title_key, id);
CREATE UNIQUE INDEX project_by_reference ON project (account_id, reference) WHERE reference IS NOT NULL;

CREATE TABLE app (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL DEFAULT '',
  -- The public part of the text of the key.
  private_key_id TEXT NOT NULL,
  -- The SHA-256 of the key, in hexadecimal digits.
  private_key_hash TEXT NOT NULL,
  -- The key before the last rotation, which is valid until the end of its grace period. Null before the first rotation.
  previous_key_id TEXT,
  previous_key_hash TEXT,
  previous_key_expire_time_ms BIGINT,
  -- Changed at most once an hour. Null before the first sign-in.
  last_sign_in_time_ms BIGINT,
  active SMALLINT NOT NULL CHECK (active IN (0, 1)),
  create_time_ms BIGINT NOT NULL,
  -- The etag: an id that each update and rotation of the key makes anew.
  revision TEXT NOT NULL,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, project_id) REFERENCES project (account_id, id)
);
CREATE INDEX app_by_name ON app (('apps/' || id));
CREATE INDEX app_by_project ON app (account_id, project_id, id);
CREATE INDEX app_by_title ON app (account_id, title_key, id);
CREATE INDEX app_by_title_in_project ON app (account_id, project_id, title_key, id);

CREATE TABLE wallet (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL,
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  reference TEXT,
  -- Null until a password is set.
  password_hash TEXT,
  create_time_ms BIGINT NOT NULL,
  update_time_ms BIGINT NOT NULL,
  -- The etag: an id that each update makes anew.
  revision TEXT NOT NULL,
  -- The lists have the wallets that are archived, or those that are not.
  archived SMALLINT NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  -- Null unless the wallet is archived.
  archive_time_ms BIGINT,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, project_id) REFERENCES project (account_id, id)
);
CREATE INDEX wallet_by_name ON wallet (('wallets/' || id));
CREATE INDEX wallet_by_project ON wallet (account_id, project_id, archived, id);
CREATE INDEX wallet_by_title ON wallet (account_id, archived, title_key, id);
CREATE INDEX wallet_by_title_in_project ON wallet (account_id, project_id, archived, title_key, id);
CREATE INDEX wallet_by_address ON wallet (account_id, address, id);
CREATE UNIQUE INDEX wallet_by_reference ON wallet (account_id, reference) WHERE reference IS NOT NULL;

-- The addresses of an account that are left for wallets on a network. It stays when none is left.
CREATE TABLE address_pool (
  account_id TEXT NOT NULL REFERENCES account (id),
  network TEXT NOT NULL,
  -- Changed with every insertion and deletion of an address, so that all pools can be watched at a small cost.
  address_count BIGINT NOT NULL,
  -- The id of the last address that a wallet can get. Those after it are still being added.
  last_id TEXT NOT NULL,
  PRIMARY KEY (account_id, network)
);

-- An address that the operator has supplied. The row is deleted when a wallet gets the address.
CREATE TABLE address (
  account_id TEXT NOT NULL,
  network TEXT NOT NULL,
  -- The address that was supplied first has the first id.
  id TEXT NOT NULL,
  address TEXT NOT NULL,
  PRIMARY KEY (account_id, network, id),
  FOREIGN KEY (account_id, network) REFERENCES address_pool (account_id, network)
);
-- No two wallets get the same address, because a wallet can change its network.
CREATE UNIQUE INDEX address_by_address ON address (account_id, address);

CREATE TABLE token (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  -- The project of a project token. The project of new apps of an account token.
  project_id TEXT NOT NULL,
  -- The app that signed in, and the id of the key with which it did. Null for an account token.
  app_id TEXT,
  app_key_id TEXT,
  -- The account token that has made this one, which ends with it. Null if the operator or a sign-in has.
  maker_token_id TEXT,
  -- The SHA-256 of the token, in hexadecimal digits.
  hash TEXT NOT NULL,
  title TEXT NOT NULL,
  -- Whether the token sees its project alone. 1 for a project token.
  is_one_project SMALLINT NOT NULL CHECK (is_one_project IN (0, 1)),
  is_read_only SMALLINT NOT NULL CHECK (is_read_only IN (0, 1)),
  expire_time_ms BIGINT NOT NULL,
  -- The time of the last use, which is written at most once an hour. Null before the first use.
  last_use_time_ms BIGINT,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, project_id) REFERENCES project (account_id, id),
  FOREIGN KEY (account_id, maker_token_id) REFERENCES token (account_id, id) ON DELETE CASCADE
);
CREATE INDEX token_by_expiry ON token (expire_time_ms);

-- Few tokens are account tokens. Those that end soon are found without the many of apps, which all do.
CREATE INDEX account_token_by_expiry ON token (expire_time_ms) WHERE app_id IS NULL;

-- Few tokens were made by another one.
CREATE INDEX token_by_maker ON token (account_id, maker_token_id) WHERE maker_token_id IS NOT NULL;

-- For the tokens of one app, the oldest first.
CREATE INDEX token_by_app ON token (account_id, app_id, id);
CREATE INDEX token_by_name ON token (('tokens/' || id));

-- The responses to requests with an Idempotency-Key, in the transaction of the request.
CREATE TABLE idempotency_key (
  account_id TEXT NOT NULL,
  -- A hash of the app of the token, or of the account for an account token, and of the key.
  key_hash TEXT NOT NULL,
  -- A hash of the content of the request, with the key as its key.
  content_hash TEXT NOT NULL,
  -- Compressed, and encrypted with the bearer token of the request.
  response TEXT NOT NULL,
  expire_time_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, key_hash)
);
CREATE INDEX idempotency_key_by_expiry ON idempotency_key (expire_time_ms);

-- The acts that matter, each in the transaction of its act. No values of fields, and no secrets.
CREATE TABLE audit_event (
  account_id TEXT NOT NULL,
  -- A ULID with the time of the act, or of the first of those that the event counts.
  id TEXT NOT NULL,
  action TEXT NOT NULL,
  -- The name of the resource.
  resource TEXT NOT NULL,
  -- The public id of the token of the request. Null for an act of the operator.
  actor_token_id TEXT,
  -- The app of this token, or the app that has signed in by its key alone.
  actor_app_id TEXT,
  -- The title of this token at the time of the act. Null if it had none.
  actor_title TEXT,
  -- The public id of the token that was issued or revoked; that of the first, if several sign-ins are counted.
  token_id TEXT,
  -- The names of the fields that were set, with commas between them; of addresses, their network.
  fields TEXT NOT NULL,
  -- An IPv4 address or an IPv6 network.
  address TEXT,
  request_id TEXT,
  -- The number of revoked tokens, of addresses, or of equal acts within a minute.
  event_count BIGINT NOT NULL,
  -- The time of the last act that is counted.
  last_time_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, id)
);

-- For the list of all accounts, and for the deletion of old events.
CREATE INDEX audit_event_by_name ON audit_event (('events/' || id));

-- For the list of the events of an account with one action. With an index on the id itself, PostgreSQL could use the
-- primary key, and read all events of an account to find those with a rare action.
CREATE INDEX audit_event_by_action ON audit_event (account_id, action, ('act/' || id));

-- For the list of the events on one resource, and of those with one action.
CREATE INDEX audit_event_by_resource ON audit_event (account_id, resource, ('of/' || id), action);
