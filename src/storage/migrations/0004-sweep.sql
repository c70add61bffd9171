-- compatible-from: 3

-- One row: which instance deletes expired rows, and since when its clock can be trusted.

CREATE TABLE sweep (
  id SMALLINT PRIMARY KEY CHECK (id = 1),
  -- The instance that swept last, and the time of its last batch.
  holder TEXT NOT NULL,
  time_ms BIGINT NOT NULL,
  -- Since this time, the clock has not moved by more than a day between two sweeps.
  clock_since_ms BIGINT NOT NULL
);

-- The clock of a migration is trusted only while there is nothing to delete. The claim is an hour old, so that
-- every instance can take it.
INSERT INTO sweep (id, holder, time_ms, clock_since_ms)
SELECT 1, '', MAX(apply_time_ms) - 3600000, CASE WHEN EXISTS (SELECT 1 FROM token) THEN MAX(apply_time_ms) ELSE 0 END
FROM schema_migration;
