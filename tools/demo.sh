#!/bin/sh
# demo.sh: Genesys on a copy of the fixture vault, command by command. The fixture itself is not touched.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/genesys-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

# Neither a person's settings nor their vaults take part.
for name in $(env | sed -n 's/^\(GENESYS_[A-Z0-9_]*\)=.*/\1/p'); do unset "$name"; done
cp -R "$here/fixtures/vault" "$work/vault"
cd "$work/vault"

run() {
    printf '\n$ genesys'
    for word in "$@"; do
        case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    genesys "$@"
}

run index
run recall "why did we give up on cellular modems"
run why "ADR-007 Send Only Changes"
run status
