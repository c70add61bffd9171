import { readdirSync, readFileSync } from 'node:fs';

/** A step from an earlier schema version to its own. */
export type Migration = {
  /** The schema version after it: the number at the start of its name. */
  readonly version: number;
  /** The name of its file without the extension, such as `0001-initial`. */
  readonly name: string;
  /** The oldest schema version whose program can use a database after this migration. */
  readonly compatibleFrom: number;
  /** The SQL, without the semicolon at the end. */
  readonly statements: readonly string[];
};

const FOLDER = new URL('migrations/', import.meta.url);

const FILE_NAME = /^\d{4}-.+\.sql$/;

const COMPATIBLE_FROM = /^-- compatible-from: (\d+)$/m;

/** All migrations, in the order of their versions. */
export const MIGRATIONS: readonly Migration[] = readdirSync(FOLDER)
  .filter((file) => FILE_NAME.test(file))
  .sort()
  .map((file) => parseMigration(file.replace(/\.sql$/, ''), readFileSync(new URL(file, FOLDER), 'utf8')));

/** The schema version that this program uses. */
export const LATEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/** Returns the migrations that a database of an earlier schema version lacks. */
export function migrationsAfter(current: number): readonly Migration[] {
  return MIGRATIONS.filter(({ version }) => version > current);
}

/**
 * Parses the text of a migration. Its line `-- compatible-from: <version>` says that the programs of this schema version
 * and of later ones can use a database after the migration. Without the line, no earlier program can.
 */
export function parseMigration(name: string, text: string): Migration {
  const version = Number.parseInt(name, 10);
  const compatibleFrom = Number(COMPATIBLE_FROM.exec(text)?.[1] ?? version);
  const statements = text.split(/;\s*\n/).filter((statement) => statement.trim() !== '');
  return { version, name, compatibleFrom, statements };
}
