# SPDX-License-Identifier: MIT
"""Handle: the result of an operation on memory of all ranks, in the form of one that runs beside the program."""

from __future__ import annotations

from typing import Generic, TypeVar

Result = TypeVar("Result")


class Handle(Generic[Result]):
    """Result of iget(), iput() or iaccumulate() of a GlobalArray.

    The ranks of one node share the memory: the call that returns a handle has done its work, and wait() returns at once.

    Parameters
    ----------
    result : numpy.ndarray or None
        What wait() returns.

    Examples
    --------
    >>> handle = qn.dist.GlobalArray(2).iget()
    >>> handle.done, handle.wait()
    (True, array([0., 0.]))
    """

    __slots__ = ("_result",)

    def __init__(self, result: Result) -> None:
        self._result = result

    @property
    def done(self) -> bool:
        """Whether the operation is complete. Does not wait."""
        return True

    def test(self) -> bool:
        """Return whether the operation is complete, as `done`.

        Returns
        -------
        bool
            True once wait() would return at once.

        Examples
        --------
        >>> qn.dist.GlobalArray(2).iput(0, 1).test()
        True
        """
        return self.done

    def wait(self) -> Result:
        """Wait until the operation is complete.

        Returns
        -------
        numpy.ndarray or None
            The elements, of iget().

        Examples
        --------
        >>> qn.dist.GlobalArray(2).iget(0).wait().item()
        0.0
        """
        return self._result

    def __repr__(self) -> str:
        return "<Handle of a complete operation>"
