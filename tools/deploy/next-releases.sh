#!/usr/bin/env bash
# Makes the next two minor versions of the packed package $1 in the folder $2. The migration of the first is compatible with
# the version before, that of the second is not.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar --extract --gzip --file="$1" --directory="$work"
package=$work/package
migrations=$package/dist/storage/migrations
schema=$(ls "$migrations" | sed -n 's/^0*\([0-9]*\)-.*\.sql$/\1/p' | sort -n | tail -1)
IFS=. read -r major minor _ <<< "$(node -p "require('$package/package.json').version")"

# Packs the version that is $1 minor versions later, with the migration on standard input. @param $2 the folder
release() {
  cat > "$migrations/$(printf %04d $((schema + $1)))-next.sql"
  npm pkg set --prefix "$package" "version=$major.$((minor + $1)).0"
  npm pack --silent --pack-destination "$2" "$package"
}

release 1 "$2" << END
-- compatible-from: $schema
ALTER TABLE wallet ADD COLUMN note TEXT;
END
release 2 "$2" << END
ALTER TABLE wallet DROP COLUMN note;
END
