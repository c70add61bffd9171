#!/usr/bin/env bash
# Runs the commands of docs/production.md, as they are printed there, as root in a new Debian that has nothing but its
# base packages. The argument is the packed package. Needs root and the Debian package mmdebstrap.
#
# What differs from a machine:
# - The Debian is a folder with processes of its own, and shares the network and the kernel.
# - Its package `systemctl` starts the programs of the units instead of systemd, with their user, folder, variables and
#   files of variables, and without their restrictions. It does not read templates, so that a unit of each instance is
#   made of that of the page, and is started without being enabled.
# - Nothing starts when it is installed, so PostgreSQL is started here.
# - The alert is read after 35 s, not 100 s, when it is pending.
# - The packages of the page are installed together with the base packages, which is faster, and then once more.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
package=$(realpath "$1")
started=$SECONDS
work=$(mktemp -d)
mount -t tmpfs tmpfs "$work"
trap 'umount "$work"; rmdir "$work"' EXIT
debian=$work/debian

# Prints the commands of the numbered sections of the page, and before each section one that prints its heading.
commands() {
  sed '/^## 9\. /q' "$root/docs/production.md" |
    awk '/^## / { print "echo; echo \"-- " substr($0, 4) "\"" } /^```$/ { inside = 0 } inside; /^```sh$/ { inside = 1 }'
}

packages=$(commands | sed -n 's/^apt-get install --yes --no-install-recommends //p' | tr ' ' ,)
# procps is in every Debian with systemd.
mmdebstrap --quiet --variant=minbase --include="procps,systemctl,$packages" --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' bookworm "$debian"
echo "A new Debian after $((SECONDS - started)) s."
cp "$package" "$debian/srv/"
"$root/tools/deploy/next-releases.sh" "$package" "$debian/srv" > /dev/null
# The registry of npm that this machine uses, and the authorities that it trusts.
[ -z "${NODE_EXTRA_CA_CERTS:-}" ] || cp --parents "$NODE_EXTRA_CA_CERTS" "$debian"
registry=$(npm config get registry 2> /dev/null)

make_units='for n in 1 2; do sed "s/%i/$n/" paw-gateway@.service > paw-gateway@$n.service; done'
{
  echo 'set -euo pipefail; umask 022; cd /srv'
  commands | sed -e 's/^pg_lsclusters/pg_ctlcluster 15 main start; &/' -e 's/sleep 100/sleep 35/' \
    -e "/^systemctl daemon-reload/i (cd /etc/systemd/system; $make_units)" -e 's/^systemctl enable --now/systemctl start/'
  echo 'for user in paw haproxy prometheus; do echo "Processes of $user: $(pgrep --count --uid $user)"; done'
} > "$debian/srv/commands.sh"
mkdir --parents "$debian/dev/shm"
env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  npm_config_registry="$registry" NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-}" \
  unshare --mount --pid --fork --kill-child --mount-proc="$debian/proc" \
  sh -c 'mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm" && exec chroot "$0" bash /srv/commands.sh' "$debian" 2>&1 | tee "$work/output"

for text in '{"status":"ok"}{"status":"ok"}' '200 200 200 200 200 200 200 200' '"state":"pending"' UNAUTHENTICATED \
  'Its servers continue to serve.' 'Stop its servers first.' \
  'Processes of paw: 2' 'Processes of haproxy: 1' 'Processes of prometheus: 1'; do
  grep --quiet --fixed-strings -- "$text" "$work/output" || { echo "The output has no: $text"; exit 1; }
done
# The account is listed before it was deleted, and after the restore.
[ "$(grep --count --fixed-strings '{"projects":[{"name":' "$work/output")" -eq 2 ]
# The last version of the page runs.
last=$(commands | sed -n 's/^VERSION=\(.*\) paw migrate$/\1/p' | tail -1)
[ "$(grep --count "^paw_build_info{.*version=\"$last\"" "$work/output")" -eq 2 ]
echo "Took $((SECONDS - started)) s."
