-- The commands that know only a resource's name find its account by an index on that name.
-- An index on the id alone tempts PostgreSQL, where it plans without the parameters, to
-- read an account's projects through it, and so through those of all other accounts.

DROP INDEX project_by_id;

DROP INDEX app_by_id;

CREATE INDEX project_by_name ON project (('projects/' || id));

CREATE INDEX app_by_name ON app (('apps/' || id));
