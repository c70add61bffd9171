/** Returns the expression for the columns of a table with these numbers, in this order. A part of an index can be none. */
function columnsOf(table: string, numbers: string): string {
  return `(SELECT string_agg(COALESCE(CAST(attname AS TEXT), 'an expression'), ', ' ORDER BY position)
  FROM unnest(CAST(${numbers} AS SMALLINT[])) WITH ORDINALITY AS part (number, position)
  LEFT JOIN pg_attribute ON attrelid = ${table} AND attnum = number)`;
}

/**
 * See `Engine.schemaObjects`. The tables are those that statements find by their names, which can be in another schema
 * than the first one.
 */
export const SCHEMA_OBJECTS = `WITH t AS (SELECT oid, relname AS name, relpersistence FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace <> CAST('pg_catalog' AS regnamespace) AND pg_table_is_visible(oid))
SELECT 'table ' || name AS name,
  CASE relpersistence WHEN 'p' THEN 'permanent' WHEN 'u' THEN 'unlogged' ELSE 'temporary' END ||
  CASE WHEN row_security_active(oid) THEN ' with row level security' ELSE '' END AS definition FROM t
UNION ALL SELECT 'column ' || name || '.' || attname,
  format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null' ELSE '' END
FROM t JOIN pg_attribute ON attrelid = oid WHERE attnum > 0 AND NOT attisdropped
UNION ALL SELECT 'index ' || relname, CASE WHEN indisunique THEN 'unique ' ELSE '' END ||
  'on (' || ${columnsOf('indrelid', 'indkey')} || ')' || CASE WHEN indisvalid THEN '' ELSE ', invalid' END
FROM t JOIN pg_index ON indrelid = t.oid JOIN pg_class i ON i.oid = indexrelid
UNION ALL SELECT 'primary key of ' || name, 'on (' || ${columnsOf('conrelid', 'conkey')} || ')'
FROM t JOIN pg_constraint ON conrelid = t.oid WHERE contype = 'p'
UNION ALL SELECT 'foreign key of ' || name || ' on (' || ${columnsOf('conrelid', 'conkey')} || ')',
  'to ' || parent.relname || ' (' || ${columnsOf('confrelid', 'confkey')} || ')' ||
  CASE WHEN convalidated THEN '' ELSE ', not validated' END
FROM t JOIN pg_constraint ON conrelid = t.oid JOIN pg_class parent ON parent.oid = confrelid WHERE contype = 'f'`;
