-- After a rotation with a grace period, an app has two keys. The id of a key is the public part of its text. It is empty
-- for a key that was made before this migration, and for the tokens that were issued for it.

ALTER TABLE app ADD COLUMN private_key_id TEXT NOT NULL DEFAULT '';

ALTER TABLE app ADD COLUMN previous_key_id TEXT;

ALTER TABLE app ADD COLUMN previous_key_hash TEXT;

ALTER TABLE app ADD COLUMN previous_key_expire_time_ms BIGINT;

-- The key with which the app signed in. Empty for an account token.

ALTER TABLE token ADD COLUMN app_key_id TEXT NOT NULL DEFAULT '';
