# SPDX-License-Identifier: MIT
"""Every public name of NumPy is in quern, or has a reason not to be."""

import numpy as np

import quern as qn


def names(text):
    return text.split()


REASONS = {
    "about files that host programs read; load, save, loadtxt, fromfile and others are there": names(
        """fromregex genfromtxt memmap"""
    ),
    "about dates, which no device has": names(
        """busday_count busday_offset busdaycalendar datetime64 datetime_as_string datetime_data is_busday isnat
        timedelta64"""
    ),
    "of elements that no device has: objects, texts, records, 80-bit floats": names(
        """bytes_ character clongdouble complex256 flexible float128 frompyfunc longdouble object_ rec recarray record
        str_ void char strings"""
    ),
    "matrices, which NumPy advises against": names("asmatrix bmat matrix"),
    "deprecated": names("row_stack"),
    "NumPy's own iterators over host memory": names("broadcast flatiter nditer nested_iters"),
    "about NumPy itself": names(
        """ScalarType __version__ get_include getbufsize geterrcall info little_endian sctypeDict setbufsize
        seterrcall show_config show_runtime test typecodes ufunc core ctypeslib dtypes exceptions f2py typing"""
    ),
    "modules of their own": names("emath ma polynomial"),
}


def test_every_name_of_numpy_is_there_or_has_a_reason_not_to_be():
    listed = [name for group in REASONS.values() for name in group]
    assert len(listed) == len(set(listed))
    missing = set(np.__all__) - set(qn.__all__)
    assert missing == {name for name in listed if name in np.__all__}
    assert not set(listed) & set(qn.__all__)


def test_every_name_of_numpys_linalg_is_there():
    assert set(np.linalg.__all__) <= set(qn.linalg.__all__)
