# SPDX-License-Identifier: MIT
"""Reads the public declarations of a C++ header with the comments above them. It relies on clang-format's layout."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_PAIRS = {"(": ")", "{": "}", "[": "]"}
_TYPE = re.compile(
    r"(?:template\s*<.*?>\s*)?(?:class|struct|union|enum(?:\s+class)?)\s+(?:QUERN_API\s+|\[\[\w+\]\]\s*)*([\w:]*)",
    re.DOTALL,
)
_NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s+(?:QUERN_API\s+)?([\w:]*)\s*\{")
_ACCESS = re.compile(r"(public|private|protected):")


@dataclass
class Declaration:
    """Consecutive declarations that one comment describes, at namespace scope."""

    names: list[str]
    namespace: str
    comment: str
    code: list[str] = field(default_factory=list)
    is_type: bool = False


def _skip(text: str, at: int) -> int:
    """The place behind the comment, string or character that begins here; `at` itself if none does."""
    if text.startswith("//", at):
        return (text.find("\n", at) + 1 or len(text) + 1) - 1
    if text.startswith("/*", at):
        return text.index("*/", at) + 2
    if text[at] == '"' or (text[at] == "'" and not text[at - 1].isalnum()):
        end = at + 1
        while text[end] != text[at]:
            end += 2 if text[end] == "\\" else 1
        return end + 1
    return at


def _closing(text: str, at: int) -> int:
    """The place behind the bracket that closes the one at `at`."""
    wanted = [_PAIRS[text[at]]]
    at += 1
    while wanted:
        after = _skip(text, at)
        if after != at:
            at = after
            continue
        if text[at] in _PAIRS:
            wanted.append(_PAIRS[text[at]])
        elif text[at] == wanted[-1]:
            wanted.pop()
        at += 1
    return at


def _end_of(text: str, start: int) -> tuple[int, int]:
    """Where the declaration at `start` ends, and where the body of a function begins (-1 without one)."""
    at, is_type, body = start, _TYPE.match(text, start) is not None, -1
    while at < len(text):
        after = _skip(text, at)
        if after != at:
            at = after
        elif text[at] == ";":
            return at + 1, body
        elif text[at] == "{":
            before = text[start:at].rstrip()
            at = _closing(text, at)
            is_value = before.endswith(("=", ",")) or is_type
            if not is_value and not re.match(r"\s*[,{]", text[at:]):
                body = start + len(before)
                return at, body
        elif text[at] in "([":
            at = _closing(text, at)
        else:
            at += 1
    return at, body


def _without_body(text: str, start: int, end: int, body: int) -> str:
    """The declaration alone: no body and no initialisers of members."""
    code = text[start:end] if body < 0 else text[start:body]
    if body >= 0 or re.search(r"\)\s*(?:noexcept\s*)?:\s", code):
        depth = 0
        for at, one in enumerate(code):
            depth += (one in "([{") - (one in ")]}")
            if depth == 0 and one == ":" and code[at + 1 : at + 2] in " \n" and ")" in code[:at]:
                code = code[:at].rstrip()
                break
    code = code if code.endswith(";") else code + ";"
    return code if "\n" in code else code.removeprefix("inline ")


def _comment_before(lines: list[str]) -> str:
    return "\n".join(re.sub(r"^// ?", "", line.strip()) for line in lines)


def class_code(code: str, indent: str = "") -> str:
    """A class with its public members only, and without bodies of functions."""
    opened = code.find("{")
    if opened < 0 or re.match(r"enum\b", code):
        return code
    out = [code[:opened].rstrip() + " {"]
    inner = code[opened + 1 : code.rindex("}")]
    at, pending, is_kept = 0, "", True
    shown = not re.match(r"(?:template\s*<.*?>\s*)?class\b", code, re.DOTALL)
    while at < len(inner):
        match = re.compile(r"\s*").match(inner, at)
        space = match[0] if match else ""
        at += len(space)
        if at >= len(inner):
            break
        blank = "\n" if space.count("\n") > 1 else ""
        if inner.startswith("//", at):
            end = _skip(inner, at)
            comment = inner[at:end]
            if "\n" not in space and at > len(space):  # behind a member
                out[-1] += space + comment if shown and is_kept else ""
            elif comment.startswith("// Internal"):
                shown = False
            else:
                pending += f"{blank}{indent}  {comment}\n"
            at = end
        elif access := _ACCESS.match(inner, at):
            shown = access[1] == "public"
            if shown:
                out.append(f"{indent} public:")
            pending, at = "", access.end()
        elif inner[at] == "#":
            at = _skip_line(inner, at)
        else:
            end, body = _end_of(inner, at)
            member = _without_body(inner, at, end, body)
            if (kind := _TYPE.match(inner, at)) and kind[1] and "{" in member:
                member = class_code(member, indent + "  ")
            is_kept = bool(pending) or not re.match(r"friend\b|~", member)
            if shown and is_kept:
                text = f"{pending or blank}{indent}  {member}"
                out.append(text.removeprefix("\n") if out[-1].endswith(("{", " public:")) else text)
            pending, at = "", end
    return "\n".join([*out, f"{indent}}};"])


def _skip_line(text: str, at: int) -> int:
    """The place behind a line of the preprocessor, with its continuations."""
    while True:
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        if text[end - 1] != "\\":
            return end + 1
        at = end + 1


def _name_of(code: str) -> str:
    """The name that a declaration declares."""
    if match := _TYPE.match(code):
        return match[1]
    if match := re.match(r"(?:template\s*<.*?>\s*)?using\s+(\w+)\s*=", code, re.DOTALL):
        return match[1]
    flat = re.sub(r"\s+", " ", re.sub(r"\[\[\w+\]\]|^template\s*<.*?>\s*(?=\w)", "", code))
    if match := re.search(r"(operator\s*(?:[^\s\w(]+|\(\)|\"\"\s*\w+)|[\w]+)\s*\(", flat):
        return match[1]
    match = re.search(r"(\w+)\s*(?:=|\{|;|\[)", flat)
    return match[1] if match else ""


def read(text: str) -> tuple[str, list[Declaration]]:
    """The comment at the head of a header, and its public declarations in order."""
    head = re.match(r"// SPDX[^\n]*\n((?://[^\n]*\n)*)", text)
    found: list[Declaration] = []
    spaces: list[str] = []
    comment: list[str] = []
    at = head.end() if head else 0
    while at < len(text):
        match = re.compile(r"\s*").match(text, at)
        space = match[0] if match else ""
        at += len(space)
        if at >= len(text):
            break
        if space.count("\n") > 1:
            comment = []
        if text.startswith("//", at):
            end = _skip(text, at)
            if "\n" not in space and found and found[-1].code and not comment:
                found[-1].code[-1] += space + text[at:end]
            else:
                comment.append(text[at:end])
            at = end
        elif text[at] == "#":
            at, comment = _skip_line(text, at), []
        elif opened := _NAMESPACE.match(text, at):
            at, comment = opened.end(), []
            if any(one in ("detail", "codegen", "") for one in opened[1].split("::")):
                at = _skip_line(text, _closing(text, opened.end() - 1))
            else:
                spaces.append(opened[1])
        elif text[at] == "}":
            spaces.pop()
            at, comment = _skip_line(text, at), []
        else:
            end, body = _end_of(text, at)
            code = _without_body(text, at, end, body)
            is_type = _TYPE.match(code) is not None
            is_definition = (
                re.match(r"[^(]*\b[A-Z]\w*(?:<\w+>)?::~?\w+\s*\(", code) is not None
            )  # of a member
            is_forward = is_type and "{" not in code and not code.startswith("enum")
            if (
                not is_forward
                and not is_definition
                and not re.match(
                    r"(?:extern )?template\s+(?:class|struct|Array)|template <>|static_assert|QUERN_\w+\(",
                    code,
                )
            ):
                _add(found, "::".join(spaces), _comment_before(comment), class_code(code) if is_type else code, is_type,
                     joined=not comment and space.count("\n") <= 1)  # fmt: skip
            at, comment = end, []
    return _comment_before((head[1] if head else "").splitlines()), found


def _add(
    found: list[Declaration], namespace: str, comment: str, code: str, is_type: bool, joined: bool
) -> None:
    name = _name_of(code)
    last = found[-1] if found else None
    if joined and last and not is_type and not last.is_type and last.namespace == namespace:
        last.code.append(code)
        if name not in last.names:
            last.names.append(name)
    else:
        found.append(Declaration([name], namespace, comment, [code], is_type))
