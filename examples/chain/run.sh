#!/usr/bin/env bash
# Runs the chain example, kills it with SIGKILL half-way, and starts it again.
#
#   examples/chain/run.sh [PROGRAM]     default: the release build's
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${1:-$here/../../build/release/examples/chain}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "first process:"
"$program" "$folder" &
child=$!
sleep 0.5
disown "$child"
kill -KILL "$child"
tail --pid="$child" -f /dev/null
echo "killed by SIGKILL"
echo
echo "second process:"
"$program" "$folder"
echo
for name in haiku motto proverb; do
  printf '%s: %s\n' "$name" "$(cat "$folder/$name.txt")"
done
