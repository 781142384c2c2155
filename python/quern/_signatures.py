# SPDX-License-Identifier: MIT
"""Signatures of compiled functions, methods and classes, for help() and IDEs that inspect a running Python."""

from __future__ import annotations

import re
from typing import Any


def _parsed(known: Any) -> Any:
    """Parse the first signature that nanobind stores: text, docstring and optional default values."""
    import inspect

    text, _, *defaults = known[0]
    values = defaults[0] if len(defaults) == 1 and isinstance(defaults[0], tuple) else tuple(defaults)
    text = re.sub(r"\\(\d+)", r"_defaults[\1]", text)
    scope: dict[str, Any] = {"_defaults": values}
    name = text[len("def ") : text.index("(")]
    exec(f"from __future__ import annotations\n{text}: ...", scope)
    return inspect.signature(scope[name])


def signature_of(function: Any) -> Any:
    """Signature of a function or method; without `self` for a bound method."""
    known = function.__nb_signature__
    signature = _parsed(known if len(known) == 1 else (("def overloaded(self, /, *args, **kwargs)", None),))
    if not hasattr(function, "__self__"):
        return signature
    return signature.replace(parameters=list(signature.parameters.values())[1:])


class ClassSignature:
    """Descriptor __signature__ of a class: parses nanobind's signature of the constructor on access."""

    def __get__(self, instance: object, owner: Any) -> Any:
        known = getattr(owner.__init__, "__nb_signature__", None)
        if not known:  # only the library makes its objects
            import inspect

            return inspect.Signature()
        signature = _parsed(known)
        return signature.replace(parameters=list(signature.parameters.values())[1:])


class ErrorSignature:
    """Descriptor __signature__ of exceptions: *args, unless the class defines a constructor."""

    def __get__(self, instance: object, owner: Any) -> Any:
        import inspect

        if hasattr(owner.__init__, "__code__") or hasattr(owner.__new__, "__code__"):
            raise AttributeError(f"{owner.__name__} defines its own constructor")
        return inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)])
