"""``python -m genesys``."""

import os
import sys

# Python puts the current folder first: that may be a vault, and what lies in a vault is never run.
if not sys.flags.safe_path and sys.path and sys.path[0] == os.getcwd():
    del sys.path[0]

from genesys.cli import main

if __name__ == "__main__":
    main()
