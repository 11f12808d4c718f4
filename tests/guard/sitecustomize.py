"""Python runs this at the start of every process whose PYTHONPATH names this folder."""

import offline

offline.install()
