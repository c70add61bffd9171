# What .ci/run and .ci/night share. They source this file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
# A test whose program is missing fails.
export CI=true
# The random tests are the same each time, unless another seed is set.
seed=${PAW_TEST_SEED:-1}
citus=${PAW_TEST_CITUS:-} citus_url=${PAW_TEST_CITUS_URL:-}
# A server would refuse them as unknown settings.
unset PAW_TEST_SEED PAW_TEST_CITUS PAW_TEST_CITUS_URL

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() { printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }

# Ends a script, or a part of .ci/night, that can't run on this machine.
unavailable() {
  echo "$1" | tee "$work/reason" >&2
  exit 1
}

# Runs apt-get beside another process that uses it, such as the daily update of a machine: only the lock of dpkg can be waited for.
apt() {
  mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial"
  apt-get -qq -o DPkg::Lock::Timeout=600 -o Dir::State::Lists="$work/apt/lists" \
    -o Dir::Cache::Archives="$work/apt/archives" -o APT::Sandbox::User=root "$@"
}

# Installs packages of Debian, unless they are installed.
install_packages() {
  local package missing=()
  for package; do
    dpkg --status "$package" 2> /dev/null | grep '^Status: install ok installed' > /dev/null || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] || {
    # In this run level, no service is started.
    apt update && RUNLEVEL=1 apt install -y --no-install-recommends "${missing[@]}"
  } || unavailable "These packages can't be installed: ${missing[*]}"
}

install_postgresql() {
  install_packages postgresql-common
  # So that the package starts no server.
  sed -i 's/^#create_main_cluster .*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
  install_packages postgresql
}

# Installs the packages that the tags of the tests name which the arguments of vitest select.
install_for_tests() {
  local files
  files=$(npx vitest list --json "$@" | sed -n 's/^ *"file": "\(.*\)",$/\1/p' | sort -u)
  install_packages $(grep -oh '@module-tag needs/.*' $files /dev/null | sed 's#.*needs/##' | sort -u)
}

# Runs the tests that the arguments of vitest select.
run_tests() { PAW_TEST_SEED=$seed npx vitest run --experimental.preParse "$@"; }

# Makes the package that npm would publish, and sets `package` to its path.
pack() {
  package=$(echo "$work"/paw-gateway-*.tgz)
  [ ! -e "$package" ] || return 0
  npm run --silent package
  package=$work/$(npm pack --silent --pack-destination "$work" ./package)
}
