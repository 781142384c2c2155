# SPDX-License-Identifier: MIT
"""Which functions' tests quick runs do on PoCL."""

import pytest


@pytest.fixture(autouse=True)
def few_kernels_for_pocl(request, is_quick_on_pocl):
    if is_quick_on_pocl and request.node.path.name != "test_products.py":
        pytest.skip("run with the slow tests")
