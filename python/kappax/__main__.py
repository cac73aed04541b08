"""``python -m kappax``: the command line."""

import sys

from kappax.cli import main

if __name__ == "__main__":
    sys.exit(main())
