# SPDX-License-Identifier: MIT
"""python -m quern: the command line."""

import sys

from .cli import main

sys.exit(main())
