-- The table is named after its rows, not after the library that reads them.

ALTER TABLE keyv RENAME TO token;

DROP INDEX keyv_by_expiry;

CREATE INDEX token_by_expiry ON token (expire_time_ms);
