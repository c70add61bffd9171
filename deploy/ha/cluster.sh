#!/usr/bin/env bash
# Runs etcd and two PostgreSQL nodes under Patroni on this machine. README.md describes the commands.
set -euo pipefail

usage() {
  echo 'Usage: cluster.sh start|stop <folder>, start-node|kill-node <folder> <1|2>, switchover|list <folder>' >&2
  exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
command=${1:-}
folder=${2:-}
node=${3:-}
[ -n "$command" ] && [ -n "$folder" ] || usage

# The first of seven ports: etcd, its peers, Patroni of the nodes 1 and 2, PostgreSQL of the nodes 1 and 2.
port=${HA_PORT:-25400}
etcd_port=$port
patroni_port() { echo $((port + 1 + $1)); }
postgres_port() { echo $((port + 3 + $1)); }

export PATH="$PATH:/usr/sbin:$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)"

# PostgreSQL does not run as root.
as_postgres=()
[ "$(id -u)" -ne 0 ] || as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups --)

# Starts a process in the background, in a session of its own, and notes its id.
start_process() {
  local name=$1
  shift
  (exec setsid "${as_postgres[@]}" "$@" >> "$folder/$name.log" 2>&1 < /dev/null) &
  echo $! > "$folder/$name.pid"
}

# Ends a process by a signal, and waits for its end.
stop_process() {
  local file=$folder/$1.pid id
  [ -f "$file" ] || return 0
  id=$(cat "$file")
  rm "$file"
  kill "-$2" "$id" 2> /dev/null || true
  while kill -0 "$id" 2> /dev/null; do sleep 0.05; done
}

start_node() {
  PATRONI_NAME=node$1 \
    PATRONI_ETCD3_HOSTS=127.0.0.1:$etcd_port \
    PATRONI_RESTAPI_LISTEN=127.0.0.1:$(patroni_port "$1") \
    PATRONI_RESTAPI_CONNECT_ADDRESS=127.0.0.1:$(patroni_port "$1") \
    PATRONI_POSTGRESQL_LISTEN=127.0.0.1:$(postgres_port "$1") \
    PATRONI_POSTGRESQL_CONNECT_ADDRESS=127.0.0.1:$(postgres_port "$1") \
    PATRONI_POSTGRESQL_DATA_DIR=$folder/node$1 \
    PATRONI_POSTGRESQL_PGPASS=$folder/node$1.pgpass \
    start_process "node$1" patroni "$here/patroni.yml"
}

# Ends Patroni and PostgreSQL of a node at once, as a power cut does.
kill_node() {
  local postmaster
  stop_process "node$1" KILL
  postmaster=$(head -n 1 "$folder/node$1/postmaster.pid")
  kill -KILL "$postmaster" $(ps -o pid= --ppid "$postmaster") 2> /dev/null || true
}

patronictl_with_etcd() {
  PATRONI_ETCD3_HOSTS=127.0.0.1:$etcd_port patronictl --config-file "$here/patroni.yml" "$@"
}

case $command in
  start)
    mkdir -p "$folder"
    [ "$(id -u)" -ne 0 ] || chown postgres "$folder"
    start_process etcd etcd --data-dir "$folder/etcd" \
      --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
      --listen-peer-urls "http://127.0.0.1:$((port + 1))" --initial-advertise-peer-urls "http://127.0.0.1:$((port + 1))" \
      --initial-cluster "default=http://127.0.0.1:$((port + 1))"
    start_node 1
    # The node that comes first becomes the primary.
    curl --silent --show-error --fail --output /dev/null --retry 240 --retry-delay 1 --retry-max-time 240 --retry-all-errors \
      "http://127.0.0.1:$(patroni_port 1)/primary" 2> "$folder/start.log" || { cat "$folder/start.log" >&2; exit 1; }
    start_node 2
    ;;
  stop)
    for each in 1 2; do stop_process "node$each" TERM; done
    stop_process etcd TERM
    ;;
  start-node) start_node "$node" ;;
  kill-node) kill_node "$node" ;;
  switchover) patronictl_with_etcd switchover paw --force ;;
  list) patronictl_with_etcd list ;;
  *) usage ;;
esac
