# SPDX-License-Identifier: MIT
"""What the site adds to Sphinx: names in code lead to the reference, functions of several names, drawings in the page's colours."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.domains.python import PyFunction
from sphinx.transforms.post_transforms import SphinxPostTransform

_NAME = re.compile(r"(?:qn|quern)\.([A-Za-z_][\w.]*\w)")
_EXAMPLE = re.compile(r"(examples/\w+/\w+)\.(py|cpp|hpp)")


class FunctionOfSeveralNames(PyFunction):
    """A function whose names are separated by ` | `."""

    def get_signatures(self) -> list[str]:
        return self.arguments[0].split(" | ")


class LinksFromCode(SphinxPostTransform):
    """Makes links of `qn.name` and `examples/shelf/program.py` in code, if the site has them."""

    default_priority = 5

    def target_of(self, code: str) -> str:
        """The page that a piece of code leads to, with an anchor; nothing if there is none, or if it is this one."""
        if match := _EXAMPLE.fullmatch(code):
            page, anchor = match[1] + {"py": "", "cpp": "-cpp", "hpp": "-hpp"}[match[2]], ""
        elif match := _NAME.match(code):
            objects = self.env.get_domain("py").objects  # type: ignore[attr-defined]
            name = f"quern.{match[1]}"
            while name not in objects and name.count(".") > 1:
                name = name.rpartition(".")[0]  # an attribute that the reference does not have
            if (entry := objects.get(name)) is None:
                return ""
            page, anchor = entry.docname, f"#{entry.node_id}"
        else:
            return ""
        if page not in self.env.found_docs or page == self.env.docname:
            return ""
        return str(self.app.builder.get_relative_uri(self.env.docname, page)) + anchor

    def run(self, **_: Any) -> None:
        for literal in list(self.document.findall(nodes.literal)):
            if isinstance(literal.parent, nodes.reference) or not (
                target := self.target_of(literal.astext())
            ):
                continue
            link = nodes.reference("", "", internal=True, refuri=target)
            literal.replace_self(link)
            link += literal


class DrawingsInThePage(SphinxPostTransform):
    """Puts drawings of `drawings/` into the page itself, where they take its colours."""

    default_priority = 6

    def run(self, **_: Any) -> None:
        if self.app.builder.format != "html":
            return
        for image in list(self.document.findall(nodes.image)):
            target = image["uri"]
            if Path(target).suffix == ".svg" and "drawings/" in target:
                text = (Path(self.env.srcdir) / target).read_text(encoding="utf-8")
                text = re.sub(r"<\?xml.*?\?>|<!--.*?-->", "", text, flags=re.DOTALL).strip()
                label = nodes.Text(image.get("alt", "")).astext().replace('"', "&quot;")
                text = text.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
                image.replace_self(nodes.raw("", f'<div class="drawing">{text}</div>', format="html"))


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive_to_domain("py", "function", FunctionOfSeveralNames, override=True)
    app.add_post_transform(LinksFromCode)
    app.add_post_transform(DrawingsInThePage)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
