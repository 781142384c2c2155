# SPDX-License-Identifier: MIT
"""The parameters of compiled classes, for help() and IDEs that ask a running Python."""

from __future__ import annotations

from typing import Any


class ClassSignature:
    """An attribute __signature__ that is read from what nanobind knows of a class's constructor when it is asked for."""

    def __get__(self, instance: object, owner: Any) -> Any:
        import inspect

        known = getattr(owner.__init__, "__nb_signature__", None)
        if not known:
            raise AttributeError(f"{owner.__name__} is not made by calling it")
        scope: dict[str, Any] = {}
        text = known[0][0]
        exec(f"from __future__ import annotations\n{text}: ...", scope)
        signature = inspect.signature(scope["__init__"])
        return signature.replace(parameters=list(signature.parameters.values())[1:])
