# SPDX-License-Identifier: MIT
"""A drawing of a graph in layers, as SVG: boxes with two lines of text, and edges that run downwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

_HEIGHT, _BETWEEN, _GAP, _MARGIN = 34.0, 26.0, 16.0, 8.0
_CHARACTER, _SMALL_CHARACTER = 7.0, 5.8
_TEXT = 'font-family="sans-serif"'


@dataclass
class Box:
    """A node. `colour` is light, because the text is dark on every page."""

    title: str
    below: str = ""
    tooltip: str = ""
    colour: str = "#e0e0e0"
    inputs: Sequence[int] = ()  # indices of earlier boxes
    layer: int = 0
    x: float = 0.0  # of the centre

    @property
    def width(self) -> float:
        """Width that the texts need."""
        return max(_CHARACTER * len(self.title), _SMALL_CHARACTER * len(self.below), 24) + 14


@dataclass
class _Point:
    """A box, or a place where a long edge passes a layer."""

    box: Box | None
    layer: int
    above: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    x: float = 0.0

    @property
    def width(self) -> float:
        return self.box.width if self.box is not None else 4.0


def _set_layers(boxes: Sequence[Box]) -> None:
    """Each box below its inputs; boxes without inputs directly above the first that uses them."""
    users: list[list[int]] = [[] for _ in boxes]
    for number, box in enumerate(boxes):
        box.layer = 1 + max((boxes[k].layer for k in box.inputs), default=-1)
        for k in box.inputs:
            users[k].append(number)
    for number, box in enumerate(boxes):
        if not box.inputs and users[number]:
            box.layer = min(boxes[user].layer for user in users[number]) - 1


def _points(boxes: Sequence[Box]) -> tuple[list[_Point], list[list[int]]]:
    """The boxes and the passages of long edges, and each edge as the points that it connects."""
    points = [_Point(box, box.layer) for box in boxes]
    edges = []
    for number, box in enumerate(boxes):
        for source in box.inputs:
            path = [source]
            for layer in range(boxes[source].layer + 1, box.layer):
                path.append(len(points))
                points.append(_Point(None, layer))
            path.append(number)
            for a, b in pairwise(path):
                points[a].below.append(b)
                points[b].above.append(a)
            edges.append(path)
    return points, edges


def _arrange(points: Sequence[_Point]) -> float:
    """Orders the points of each layer by the mean of their neighbours, so that few edges cross. Returns the width."""
    layers: list[list[_Point]] = [[] for _ in range(1 + max(point.layer for point in points))]
    for point in points:
        layers[point.layer].append(point)

    def pack(layer: list[_Point]) -> float:
        x = 0.0
        for point in layer:
            point.x = x + point.width / 2
            x += point.width + _GAP
        whole = x - _GAP
        for point in layer:
            point.x -= whole / 2
        return whole

    width = max(pack(layer) for layer in layers)
    for sweep in range(6):
        for layer in layers if sweep % 2 == 0 else layers[::-1]:

            def mean(point: _Point, is_down: bool = sweep % 2 == 0) -> float:
                others = point.above if is_down else point.below
                return sum(points[k].x for k in others) / len(others) if others else point.x

            layer.sort(key=mean)
            pack(layer)
    for point in points:
        point.x += width / 2
    return width


def _edge(path: Sequence[int], points: Sequence[_Point], end: float, top: float) -> str:
    """A smooth line through the points of an edge, with an arrow at its end."""

    def y_of(layer: int) -> float:
        return top + layer * (_HEIGHT + _BETWEEN)

    x, y = points[path[0]].x, y_of(points[path[0]].layer) + _HEIGHT
    text = f"M{x:.1f} {y:.1f}"
    for k in path[1:]:
        last = k == path[-1]
        to_x, to_y = (end, y_of(points[k].layer) - 4) if last else (points[k].x, y_of(points[k].layer))
        middle = (y + to_y) / 2
        text += f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y
        if not last:
            y += _HEIGHT
            text += f"V{y:.1f}"
    arrow = f"M{x - 3.5:.1f} {y - 2:.1f}L{x:.1f} {y + 4:.1f}L{x + 3.5:.1f} {y - 2:.1f}Z"
    return f'<path d="{text}" fill="none" stroke="#808080" stroke-width="1.2"/><path d="{arrow}" fill="#808080"/>'


def draw(boxes: Sequence[Box], top: float = 0.0, left: float = 0.0) -> tuple[str, float, float]:
    """Elements of SVG that draw the boxes and edges below `top`, with their width and height."""
    _set_layers(boxes)
    points, edges = _points(boxes)
    width = _arrange(points)
    for point in points:
        point.x += left
    parts = []
    # Edges end side by side, in the order of the operands.
    arrivals = [0] * len(boxes)
    for path in edges:
        target = boxes[path[-1]]
        arrivals[path[-1]] += 1
        step = target.width / (len(target.inputs) + 1)
        end = points[path[-1]].x - target.width / 2 + step * arrivals[path[-1]]
        parts.append(_edge(path, points, end, top))
    for box, point in zip(boxes, points, strict=False):
        parts.append(_box(box, point.x, top + box.layer * (_HEIGHT + _BETWEEN)))
    count = 1 + max(box.layer for box in boxes)
    return "\n".join(parts), width, count * (_HEIGHT + _BETWEEN) - _BETWEEN


def _box(box: Box, x: float, y: float) -> str:
    middle = f'x="{x:.1f}" text-anchor="middle" {_TEXT} pointer-events="none"'
    title_y = y + (15 if box.below else 21)
    parts = [
        f'<rect x="{x - box.width / 2:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{_HEIGHT}" rx="5" '
        f'fill="{box.colour}" stroke="#808080"><title>{escape(box.tooltip or box.title)}</title></rect>',
        f'<text {middle} y="{title_y:.1f}" font-size="12" fill="#1a1a1a">{escape(box.title)}</text>',
    ]
    if box.below:
        parts.append(
            f'<text {middle} y="{y + 28:.1f}" font-size="10" fill="#444444">{escape(box.below)}</text>'
        )
    return "".join(parts)


def heading(text: str, y: float) -> str:
    """A line of text above a drawing."""
    return f'<text x="{_MARGIN}" y="{y:.1f}" {_TEXT} font-size="12" fill="#808080">{escape(text)}</text>'


def svg(parts: Sequence[str], width: float, height: float) -> str:
    """The picture of these elements, on the background of the page and not wider than it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" style="max-width:100%;height:auto;display:block">\n'
        + "\n".join(parts)
        + "\n</svg>"
    )
