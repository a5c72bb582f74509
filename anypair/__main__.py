"""`python -m anypair` is the command `anypair`."""

import os
import sys

from anypair.cli import main
from anypair.machine import launched_rank

if launched_rank():
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  one rank speaks for all
sys.exit(main())
