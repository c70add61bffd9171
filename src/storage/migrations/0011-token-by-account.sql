-- The key of every table begins with the account, so that an engine that distributes rows by account finds a token on one
-- node. The tokens of apps have the app in a column of its own.

ALTER TABLE token RENAME TO former_token;

CREATE TABLE token (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  -- The app that signed in. Empty for an account token.
  app_id TEXT NOT NULL DEFAULT '',
  -- The key with which the app signed in. Empty for an account token, and for a key without an id.
  app_key_id TEXT NOT NULL DEFAULT '',
  -- In the format of Keyv.
  value TEXT NOT NULL,
  -- Null if the entry never expires.
  expire_time_ms BIGINT,
  PRIMARY KEY (account_id, id)
);

INSERT INTO token (account_id, id, app_id, app_key_id, value, expire_time_ms)
SELECT account_id, key, CASE WHEN namespace = account_id THEN '' ELSE namespace END, app_key_id, value, expire_time_ms
FROM former_token WHERE account_id <> '';

DROP TABLE former_token;

CREATE INDEX token_by_expiry ON token (expire_time_ms);

-- For the tokens of one app, the oldest first.
CREATE INDEX token_by_app ON token (account_id, app_id, id);

-- For the commands that know only the id of a token.
CREATE INDEX token_by_name ON token (('tokens/' || id));
