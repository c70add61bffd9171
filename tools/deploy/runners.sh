#!/usr/bin/env bash
# Installs the package in the projects of test/deployment/runners, one for each test runner, and runs their tests. Checks the entries
# of the package and their types. @param $1 the packed package
set -euo pipefail
package=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH="$root/node_modules/.bin:$PATH"
for project in "$root"/test/deployment/runners/*; do
  cp -r "$project" "$work"
  cd "$work/$(basename "$project")"
  npm install --silent "$package"
  npm test
done
cd "$work"
npx --yes publint@0.3.25 run --strict "$package"
# The package has ES modules alone.
npx --yes @arethetypeswrong/cli@0.18.5 --profile esm-only "$package"
