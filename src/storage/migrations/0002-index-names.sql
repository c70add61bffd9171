-- compatible-from: 1

-- Some commands find a resource by its name, without the account. They use an index on the name.
-- An index on the id alone would mislead the query planner of PostgreSQL: a generic plan could scan
-- it, and so the rows of all accounts, to read the projects of one account.

DROP INDEX project_by_id;

DROP INDEX app_by_id;

CREATE INDEX project_by_name ON project (('projects/' || id));

CREATE INDEX app_by_name ON app (('apps/' || id));
