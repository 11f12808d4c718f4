#!/bin/sh
# make-venv.sh FOLDER [PYTHON]: a fresh virtual environment from the first Python that can make one.
set -eu

folder=$1
wanted=${2:-}

usable() {
    "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# 3.11 first: constraints.txt was made with it. A name on PATH may be a stub, so each is tried.
for python in ${wanted:-python3.11 python3.12 python3.13 python3}; do
    if usable "$python"; then
        echo "Setting up $folder with $("$python" --version) (once, a minute or two)"
        exec "$python" -m venv --clear "$folder"
    fi
done

echo "Genesys needs Python 3.11 or newer with the venv module${wanted:+; $wanted is not that}." >&2
echo "On Debian or Ubuntu: apt-get install python3 python3-venv. Or: make PYTHON=/path/to/python test" >&2
exit 1
