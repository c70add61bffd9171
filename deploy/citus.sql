-- Distributes the tables of the gateway by account, on a Citus cluster. Run it once, after `paw migrate` and before the
-- first account:
--   psql --set ON_ERROR_STOP=1 --file citus.sql "$DATABASE_URL"
-- Not tried on Citus. The tests run all operations on PostgreSQL tables that are partitioned in the same way.

BEGIN;

-- The rows of an account are on one node, in all tables.
SELECT create_distributed_table('account', 'id');
SELECT create_distributed_table('project', 'account_id', colocate_with => 'account');
SELECT create_distributed_table('app', 'account_id', colocate_with => 'account');
SELECT create_distributed_table('wallet', 'account_id', colocate_with => 'account');
SELECT create_distributed_table('token', 'account_id', colocate_with => 'account');
SELECT create_distributed_table('idempotency_key', 'account_id', colocate_with => 'account');
SELECT create_distributed_table('audit_event', 'account_id', colocate_with => 'account');

-- Small tables without an account are copied to every node.
SELECT create_reference_table('page_token_key');
SELECT create_reference_table('schema_migration');
SELECT create_reference_table('sweep');

COMMIT;
