CREATE TABLE account (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  default_project_id TEXT NOT NULL,
  -- Incremented with every insertion of a project, so that the total count of a list is one row to read.
  project_count BIGINT NOT NULL,
  create_time_ms BIGINT NOT NULL
);

CREATE TABLE project (
  account_id TEXT NOT NULL REFERENCES account (id),
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  image_cover_cid TEXT NOT NULL,
  create_time_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, id)
);

CREATE INDEX project_by_id ON project (id);

CREATE TABLE app (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  title TEXT NOT NULL,
  private_key_hash TEXT NOT NULL,
  active SMALLINT NOT NULL CHECK (active IN (0, 1)),
  create_time_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, project_id) REFERENCES project (account_id, id)
);

CREATE INDEX app_by_id ON app (id);

CREATE TABLE wallet (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  -- Null until a password is set.
  password_hash TEXT,
  create_time_ms BIGINT NOT NULL,
  update_time_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, project_id) REFERENCES project (account_id, id)
);

-- Access tokens and account tokens, in the format of Keyv. The namespace is the ULID of the account or app.
CREATE TABLE keyv (
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  -- Null if the entry never expires.
  expire_time_ms BIGINT,
  PRIMARY KEY (namespace, key)
);

CREATE INDEX keyv_by_expiry ON keyv (expire_time_ms);

-- One row: the key for the MACs of page tokens, shared by all instances.
CREATE TABLE page_token_key (
  id SMALLINT PRIMARY KEY CHECK (id = 1),
  key TEXT NOT NULL
);
