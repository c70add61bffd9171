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

# The process of a demo that runs.
demo=

# Runs a demo until it has printed its instructions, pastes them into a shell, and stops it.
try_demo() {
  PORT=0 setsid "$@" > "$work/demo.out" 2> "$work/demo.err" &
  demo=$!
  for _ in $(seq 1800); do
    grep -q '^Stop with' "$work/demo.out" && break
    kill -0 "$demo" 2> /dev/null || { cat "$work/demo.err"; exit 1; }
    sleep 0.1
  done
  # The lines to paste call each operation by each API.
  sed -n '/^PAW_URL=/,/^Stop with/p' "$work/demo.out" | sed '$d' > "$work/paste.sh"
  bash -e "$work/paste.sh" > "$work/answers"
  cat "$work/answers"
  if grep -q '"error' "$work/answers"; then exit 1; fi
  [ "$(grep -c '^{"data":{"\(projects\|updateWallet\|createApp\|signIn\)"' "$work/answers")" -eq 4 ]
  [ "$(grep -c '^{"\(projects\|name\|accessToken\)"' "$work/answers")" -eq 4 ]
  url=$(sed -n 's/^PAW_URL=//p' "$work/paste.sh")
  for page in graphiql docs $(curl --silent "$url/docs" | grep --only-matching 'docs/[a-z-]*\.md'); do
    curl --silent --fail --output /dev/null --header 'Accept: text/html' "$url/$page"
  done

  kill -TERM -- "-$demo"
  wait "$demo" || true
  demo=
  # The shell between npm and the server can end before the server.
  timeout 10 bash -c "while curl --silent --output /dev/null '$url/healthz'; do sleep 0.1; done"
}
