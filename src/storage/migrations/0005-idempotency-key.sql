-- compatible-from: 3

-- The responses to requests with an Idempotency-Key, in the transaction of the request.

CREATE TABLE idempotency_key (
  account_id TEXT NOT NULL,
  -- The account or the project that the token speaks for.
  principal_id TEXT NOT NULL,
  -- The SHA-256 of the key, in hexadecimal digits.
  key_hash TEXT NOT NULL,
  -- Encrypted with the bearer token of the request.
  answer TEXT NOT NULL,
  expire_time_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, principal_id, key_hash)
);

CREATE INDEX idempotency_key_by_expiry ON idempotency_key (expire_time_ms);
