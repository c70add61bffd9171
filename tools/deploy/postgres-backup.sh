#!/usr/bin/env bash
# Runs the commands of docs/postgresql.md, "Backup and restore", as they are printed there. Only folders, the address of
# the server and the time are replaced. Needs the Debian package postgresql; its service is not used.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
PATH="$root/node_modules/.bin:$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1):$PATH"
started=$SECONDS

work=$(mktemp -d)
mkdir -m 755 "$work/backups" "$work/backups/wal"
# PostgreSQL does not run as root.
as_postgres=()
if [ "$(id -u)" -eq 0 ]; then
  as_postgres=(runuser -u postgres --)
  chown -R postgres "$work"
fi
export PGDATA=$work/data PGHOST=127.0.0.1 PGUSER=postgres PGDATABASE=postgres
PGPORT=$(node -e "const server = require('net').createServer().listen(0, '127.0.0.1', () => { console.log(server.address().port); server.close(); })")
export PGPORT
cleanup() {
  "${as_postgres[@]}" pg_ctl stop --mode=immediate --silent > /dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

# Prints the nth code block of the section.
block() {
  sed -n '/^## Backup and restore$/,/^## PgBouncer$/p' "$root/docs/postgresql.md" |
    awk -v n="$1" '/^```[a-z]/ { i++; next } /^```$/ { if (i == n) exit; inside = 0 } { if (i == n) print }' |
    sed -e "s#/srv/backups#$work/backups#g" -e "s#db\.example\.com#127.0.0.1:$PGPORT#g" \
      -e "s#2026-01-31 12:00:00+00#${target-}#" -e 's#^pg_ctl start#& --silent --log="$PGDATA/log"#'
}

# Runs a block, the second argument being the command that changes the user.
run() {
  echo "-- block $1"
  block "$1" > "$work/block.sh"
  [ -s "$work/block.sh" ]
  "${@:2}" bash -euo pipefail "$work/block.sh"
}

# The blocks call it, too.
export root
paw() { node "$root/src/main.js" "$@"; }
export -f paw
name() { sed 's/.*"name":"\([^"]*\)".*/\1/'; }

"${as_postgres[@]}" initdb --auth=trust --encoding=UTF8 --no-sync > /dev/null
block 4 | "${as_postgres[@]}" tee -a "$PGDATA/postgresql.conf"
echo "unix_socket_directories = ''
port = $PGPORT" >> "$PGDATA/postgresql.conf"
"${as_postgres[@]}" pg_ctl start --wait --silent --log="$work/log"
psql --quiet --command='CREATE ROLE paw_owner LOGIN' --command='CREATE DATABASE paw OWNER paw_owner'
export DATABASE_URL=postgres://paw_owner@127.0.0.1:$PGPORT/paw
paw migrate > /dev/null
ACCOUNT=$(paw account create --title Acme --json | name)
export ACCOUNT

run 1
run 2
paw account delete "$ACCOUNT" --yes
run 3
run 5 "${as_postgres[@]}"

paw project create --account "$ACCOUNT" --title 'After the base backup' > /dev/null
# PostgreSQL stops before the first transaction after the target.
target=$(psql --tuples-only --no-align --command='SELECT clock_timestamp()')
paw account delete "$ACCOUNT" --yes
run 6 "${as_postgres[@]}"
run 7
paw project list --account "$ACCOUNT" | grep 'After the base backup'
# A server can write again.
paw project create --account "$ACCOUNT" --title 'After the recovery' > /dev/null
echo "Took $((SECONDS - started)) s."
