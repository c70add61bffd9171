-- The programs of version 7 and earlier do not read the column, and refuse every newer schema.

-- The oldest schema version whose program can use a database with this migration. Null if no earlier one can.
ALTER TABLE schema_migration ADD COLUMN compatible_from INTEGER;
