# SPDX-License-Identifier: MIT
"""python -m quern.cli"""

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())
