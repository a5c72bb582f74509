"""`python -m anypair` is the command `anypair`."""

import sys

from anypair.cli import main

sys.exit(main())
