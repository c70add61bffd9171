-- compatible-from: 9

-- The acts that matter, each in the transaction of its act. No values of fields, and no secrets.

CREATE TABLE audit_event (
  account_id TEXT NOT NULL,
  -- A ULID with the time of the act. That of failed sign-ins is derived from their minute, app and client address.
  id TEXT NOT NULL,
  action TEXT NOT NULL,
  -- The name of the resource.
  resource TEXT NOT NULL,
  -- The public id of the token of the request. Null for an act of the operator.
  credential_id TEXT,
  -- The public id of the token that was issued or revoked.
  token_id TEXT,
  -- The names of the fields that were set, with commas between them.
  fields TEXT NOT NULL,
  -- An IPv4 address or an IPv6 network.
  address TEXT,
  request_id TEXT,
  -- The number of failed sign-ins or revoked tokens.
  event_count BIGINT NOT NULL,
  PRIMARY KEY (account_id, id)
);

-- For the list of all accounts, and for the deletion of old events. An index on the id alone would mislead the query
-- planner of PostgreSQL.

CREATE INDEX audit_event_by_name ON audit_event (('events/' || id));
