-- compatible-from: 3

-- The failed sign-ins of one client to one app. The address is an IPv4 address or an IPv6 network.

CREATE TABLE sign_in_failure (
  account_id TEXT NOT NULL,
  -- The app of the request, which may not exist.
  app_id TEXT NOT NULL,
  credential_id TEXT NOT NULL,
  address TEXT NOT NULL,
  failure_count BIGINT NOT NULL,
  -- The count starts again after this time.
  expire_time_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, app_id, credential_id, address)
);

CREATE INDEX sign_in_failure_by_expiry ON sign_in_failure (expire_time_ms);
