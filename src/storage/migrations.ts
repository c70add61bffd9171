import { readdirSync, readFileSync } from 'node:fs';

/** A step from one schema version to the next. */
export type Migration = {
  /** The schema version after it. */
  readonly version: number;
  /** The name of its file without the extension, such as `0001-initial`. */
  readonly name: string;
  /** The oldest schema version whose program can use a database after this migration. */
  readonly compatibleFrom: number;
  /** The SQL, without the semicolon at the end. */
  readonly statements: readonly string[];
};

const FOLDER = new URL('migrations/', import.meta.url);

const COMPATIBLE_FROM = /^-- compatible-from: (\d+)$/m;

let cachedLatestVersion: number | undefined;

/** Returns the schema version that this program uses. */
export function latestVersion(): number {
  cachedLatestVersion ??= readdirSync(FOLDER).length;
  return cachedLatestVersion;
}

/** Reads the files `<version>-<name>.sql`. Versions are consecutive and start at 1. */
export function readMigrations(): readonly Migration[] {
  const files = readdirSync(FOLDER).sort();
  return files.map((file, index) => {
    const version = Number.parseInt(file, 10);
    if (version !== index + 1) throw new Error(`The migration ${file} is out of sequence.`);
    return parseMigration(version, file.replace(/\.sql$/, ''), readFileSync(new URL(file, FOLDER), 'utf8'));
  });
}

/**
 * Parses the text of a migration. Its line `-- compatible-from: <version>` says that the programs of this schema version
 * and of later ones can use a database after the migration. Without the line, no earlier program can.
 */
export function parseMigration(version: number, name: string, text: string): Migration {
  const [, mark] = COMPATIBLE_FROM.exec(text) ?? [];
  const compatibleFrom = mark === undefined ? version : Number(mark);
  if (compatibleFrom < 1 || compatibleFrom > version) {
    throw new Error(`The migration ${name} has an invalid line "compatible-from".`);
  }
  const statements = text.split(/;\s*\n/).filter((statement) => statement.trim() !== '');
  return { version, name, compatibleFrom, statements };
}
