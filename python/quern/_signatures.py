# SPDX-License-Identifier: MIT
"""The parameters of compiled functions, methods and classes, for help() and IDEs that ask a running Python."""

from __future__ import annotations

import re
from typing import Any


def _parsed(known: Any) -> Any:
    """The first of the signatures that nanobind keeps: its text, its documentation and, perhaps, default values."""
    import inspect

    text, _, *defaults = known[0]
    values = defaults[0] if len(defaults) == 1 and isinstance(defaults[0], tuple) else tuple(defaults)
    text = re.sub(r"\\(\d+)", r"_defaults[\1]", text)
    scope: dict[str, Any] = {"_defaults": values}
    name = text[len("def ") : text.index("(")]
    exec(f"from __future__ import annotations\n{text}: ...", scope)
    return inspect.signature(scope[name])


def signature_of(function: Any) -> Any:
    """Of a function or method; a bound method's does not name what it is bound to."""
    known = function.__nb_signature__
    signature = _parsed(known if len(known) == 1 else (("def overloaded(self, /, *args, **kwargs)", None),))
    if not hasattr(function, "__self__"):
        return signature
    return signature.replace(parameters=list(signature.parameters.values())[1:])


class ClassSignature:
    """An attribute __signature__ that is read from what nanobind knows of a class's constructor when it is asked for."""

    def __get__(self, instance: object, owner: Any) -> Any:
        known = getattr(owner.__init__, "__nb_signature__", None)
        if not known:
            raise AttributeError(f"{owner.__name__} is not made by calling it")
        signature = _parsed(known)
        return signature.replace(parameters=list(signature.parameters.values())[1:])


class ErrorSignature:
    """An attribute __signature__ of exceptions: they take what Exception takes, unless their constructor says otherwise."""

    def __get__(self, instance: object, owner: Any) -> Any:
        import inspect

        if hasattr(owner.__init__, "__code__") or hasattr(owner.__new__, "__code__"):
            raise AttributeError(f"{owner.__name__} has a constructor of its own")
        return inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)])
