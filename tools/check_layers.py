#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails when a source file includes or asks what its layer may not, or does not begin with its licence.

The folders are the layers of the design: each row of LAYERS says what its files may include besides the C++
standard library, the system and their own folder. docs/architecture.md draws the same arrows. Run with --self-test to see the checks themselves checked.
"""

import re
import sys
import tempfile
from pathlib import Path

import check_main

# What may be included: a folder below src/ (with all that is in it), a single header, or "quern" for the public
# headers. The longest folder that holds a file decides.
BACKEND = [
    "backend/backend.hpp",
    "backend/graph.hpp",
    "backend/late_notification.hpp",
    "backend/mapping.hpp",
    "backend/parts.hpp",
    "backend/registry.hpp",
    "backend/shared_memory.hpp",
    "backend/caller_runs.hpp",
    "backend/time_recording.hpp",
]
LAYERS = {
    "include/quern": ["quern"],
    "src/base": [],
    "src/backend": ["base"],
    "src/backend/host": [*BACKEND, "base", "frontend/host_abi.h", "frontend/host_bounds.h"],
    "src/backend/opencl": [*BACKEND, "base"],
    "src/backend/cuda": [*BACKEND, "base"],
    "src/frontend": ["base", "kernels"],
    "src/frontend/preprocess": ["frontend/frontend.hpp", "frontend/stages.hpp", "base", "kernels"],
    "src/frontend/builtins": ["base"],
    "src/frontend/lower": [
        "frontend/builtins",
        "frontend/frontend.hpp",
        "frontend/parse/ast.hpp",
        "frontend/preprocess/token.hpp",
        "base",
    ],
    "src/frontend/lower/analysis": [
        "frontend/builtins",
        "frontend/parse/ast.hpp",
        "frontend/preprocess/token.hpp",
        "base",
    ],
    "src/runtime": ["quern", *BACKEND, "frontend", "base"],
    "src/tune": ["quern", "runtime", "base"],
    "src/tune/search": ["quern", "tune", "runtime", "base"],
    "src/tune/library": ["quern", "tune"],
    "src/libraries": ["quern", "runtime", "base"],
    "src/kernels": [],
    "src/codegen": ["quern", "frontend", "base"],
    "src/codegen/host_loops": ["codegen", "kernels", "quern", "frontend", "base"],
    "src/algorithms": [
        "quern",
        "runtime",
        "tune",
        "libraries",
        "codegen",
        "kernels",
        "frontend/host_abi.h",
        "base",
    ],
    "src/algorithms/launch": ["quern", "runtime", "codegen", "kernels", "base"],
    "src/array": ["quern", "algorithms", "codegen", "runtime", "base"],
    "src/linalg": ["quern", "array", "algorithms", "codegen", "kernels", "libraries", "runtime", "base"],
    "src/random": ["quern", "array", "algorithms", "codegen", "kernels", "runtime", "base"],
    "src/sparse": [
        "quern",
        "array",
        "linalg",
        "algorithms",
        "codegen",
        "kernels",
        "libraries",
        "runtime",
        "base",
    ],
    "src/profile": ["quern", "array", "runtime", "base"],
    "src/distributed": ["quern", "array", "runtime", "base"],
    "src/platform": ["quern", "runtime", "frontend", "base"],
    "src/functions/header": ["codegen", "quern"],
    "src/functions": ["quern", "array", "linalg", "codegen", "runtime", "base"],
    "python/src": ["quern"],
}

# The public headers that stand below the runtime, and so are open to every layer.
BASIC_HEADERS = [
    "quern/api.hpp",
    "quern/dtype.hpp",
    "quern/error.hpp",
    "quern/parts.hpp",
    "quern/progress.hpp",
    "quern/properties.hpp",
    "quern/signature.hpp",
    "quern/waiting.hpp",
]

# Folders inside a layer that the rest of the layer does not know.
HIDDEN = {
    "src/backend": ["backend/host", "backend/opencl", "backend/cuda"],
    "src/tune": ["tune/search", "tune/library"],
    "src/frontend/lower": ["frontend/lower/c", "frontend/lower/cuda"],
}

# Folders of which other layers may include these headers only. Of the host's loops: what calls them for small work on
# the calling thread, and what the precompiled random numbers are found through.
PARTLY_OPEN = {
    "algorithms/host": {
        "src/array": ["block_evaluator", "direct_loops", "host_loop_table", "host_loops", "reduction_loops"],
        "src/random": ["hand_written_kernel", "host_loop_table"],
    },
}

# Headers of others, and the only folders that may include them. No folder: what is used of them is declared by
# ourselves and loaded at run time.
FOREIGN = {
    r"CL/.*": ["src/backend/opencl", "src/platform", "tests/backend/opencl", "tests/platform"],
    r"(cuda|cudart|cuda_runtime|cuda_runtime_api|nvrtc|nvml)(\.h|\.hpp)?": [],
    r"(Python\.h|nanobind/.*|numpy/.*)": ["python/src"],
    # A file that does not see how a type is converted compiles, and refuses it at run time.
    r"nanobind/stl/.*": ["python/src/binding.hpp"],
}

# What decides between functions of the library and kernels, and the only folder above the runtime that asks for it.
# Algorithms have an Operation or a LibraryKernel, which choose, and arrays read a Policy.
CHOOSING_FOLDER = "src/algorithms/launch"
CHOOSING = re.compile(r"\b(Dialect::host_c|DeviceKind::cpu|calls_function|host_loop_use|can_compile)\b")
CHOOSES_NOT = [
    "src/algorithms",
    "src/array",
    "src/codegen",
    "src/functions",
    "src/linalg",
    "src/random",
    "src/sparse",
]

CODE = {".cpp", ".hpp", ".c", ".h", ".cc", ".cu", ".cuh"}
KERNELS = {".cl"}
OTHERS = {".py", ".cmake", ".sh"}  # stubs are generated
TREES = ["src", "include", "python", "tests", "tools", "script", "benchmarks", "examples", "cmake", ".ci"]
LICENCE = "SPDX-License-Identifier: MIT"

LINE_COMMENT = re.compile(r"//[^\n]*")
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)

# A layer of the list in docs/architecture.md, and what follows its arrow.
PAGE_LAYER = re.compile(r"^(src/\w+)/ .*?->(.*)$", re.MULTILINE)

# Public headers mark what they declare as exported.
HIDING_NAMESPACE = re.compile(r"^namespace quern\b", re.MULTILINE)
EXPORTED = "namespace QUERN_API "


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer_of(path):
    return max((layer for layer in LAYERS if is_below(path, layer)), key=len, default=None)


def includes(text):
    """Yields line number, whether in quotes, and what is included."""
    blanked = BLOCK_COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment.group()), text)
    for match in INCLUDE.finditer(blanked):
        line = blanked.count("\n", 0, match.start(1)) + 1
        yield line, match.group(1) == '"', match.group(2)


def crossing(path, quoted, header):
    """Says why a file may not include a header; None when it may."""
    for pattern, folders in FOREIGN.items():
        if re.fullmatch(pattern, header) and not any(is_below(path, folder) for folder in folders):
            where = (
                f"only {' and '.join(folders)} may"
                if folders
                else "it is declared here and loaded at run time"
            )
            return f"includes {header}: {where}"
    layer = layer_of(path)
    if layer is None or not (quoted or header.startswith("quern/")):
        return None
    if ".." in header.split("/"):
        return f"includes {header}: write the full path from src/ or include/"
    if header in BASIC_HEADERS:
        return None
    if header.startswith("quern/"):
        if "quern" in LAYERS[layer]:
            return None
        return f"includes {header}: {layer} stands below it, unless BASIC_HEADERS in this check names it"
    if layer.startswith("src/") and is_below("src/" + header, layer):
        hidden = [folder for folder in HIDDEN.get(layer, []) if is_below(header, folder)]
        hidden = [folder for folder in hidden if not is_below(path, "src/" + folder)]
        return f"includes {header}: {layer} does not know {hidden[0]}" if hidden else None
    if layer == "python/src" and "/" not in header:
        return None  # its own files lie side by side
    for folder, open_to in PARTLY_OPEN.items():
        if is_below(header, folder) and header not in [
            f"{folder}/{name}.hpp" for name in open_to.get(layer, [])
        ]:
            return f"includes {header}: {folder} is not open to {layer}, but for what PARTLY_OPEN in this check names"
    if any(is_below(header, allowed) for allowed in LAYERS[layer]):
        return None
    if layer_of("src/" + header) is None:
        return f"includes {header}: not a path from src/ or include/"
    allowed = ", ".join(LAYERS[layer]) or "nothing but the basic headers"
    return f"includes {header}: {layer} may include {allowed}"


def check_kernel(path, quoted, header):
    """Kernel texts are embedded: they may include each other and nothing outside."""
    if quoted and (header.startswith("kernels/") or "/" not in header):
        return None
    return f"includes {header}: kernels include nothing outside src/kernels"


def check_file(root, file):
    path = file.relative_to(root).as_posix()
    text = file.read_text(encoding="utf-8", errors="replace")
    problems = []
    lines = text.split("\n", 2)
    first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    if LICENCE not in first:
        problems.append(f"{path}:1: does not begin with '{LICENCE}'")
    if is_below(path, "include/quern") and (match := HIDING_NAMESPACE.search(text)) and EXPORTED not in text:
        line = text.count("\n", 0, match.start()) + 1
        problems.append(f"{path}:{line}: a shared library hides these names; write '{EXPORTED}quern {{'")
    if any(is_below(path, folder) for folder in CHOOSES_NOT) and not is_below(path, CHOOSING_FOLDER):
        for number, line in enumerate(text.split("\n"), 1):
            if match := CHOOSING.search(LINE_COMMENT.sub("", line)):
                problems.append(f"{path}:{number}: asks {match.group()}: only {CHOOSING_FOLDER} does")
    if file.suffix in CODE | KERNELS:
        check = check_kernel if file.suffix in KERNELS and is_below(path, "src/kernels") else crossing
        for line, quoted, header in includes(text):
            if problem := check(path, quoted, header):
                problems.append(f"{path}:{line}: {problem}")
    return problems


def check_page(root):
    """Compares the layers that docs/architecture.md lists, and the arrows behind them, with LAYERS."""
    page = root / "docs/architecture.md"
    if not page.is_file():
        return []
    listed = dict(PAGE_LAYER.findall(page.read_text(encoding="utf-8")))
    layers = {layer: allowed for layer, allowed in LAYERS.items() if re.fullmatch(r"src/\w+", layer)}
    problems = [f"{layer}: docs/architecture.md does not list it" for layer in layers.keys() - listed.keys()]
    for layer, arrow in listed.items():
        if layer not in layers:
            problems.append(f"{layer}: docs/architecture.md lists it, LAYERS does not")
            continue
        allowed = {path.split("/")[0] for path in layers[layer] if not path.endswith(".h")} - {
            "base",
            "quern",
        }
        drawn = set(re.findall(r"\w+", arrow)) & {name.removeprefix("src/") for name in layers} - {"base"}
        if drawn != allowed:
            problems.append(
                f"{layer}: docs/architecture.md has arrows to {sorted(drawn)}, LAYERS to {sorted(allowed)}"
            )
    return sorted(problems)


def is_source(file):
    if file.suffix in CODE | KERNELS | OTHERS or file.name == "CMakeLists.txt":
        return True
    if file.suffix:
        return False
    with file.open("rb") as stream:
        return stream.read(2) == b"#!"


def check_tree(root):
    problems = check_page(root)
    for tree in TREES:
        for file in sorted((root / tree).rglob("*")):
            if (
                "__pycache__" not in file.parts
                and file.is_file()
                and not file.is_symlink()
                and is_source(file)
            ):
                problems += check_file(root, file)
    return problems


def self_test():
    top = "// SPDX-License-Identifier: MIT\n"
    page = "".join(
        f"{layer}/ text -> {', '.join(path for path in allowed if not path.endswith('.h'))}\n"
        for layer, allowed in LAYERS.items()
        if layer.count("/") == 1
    )
    right = {
        "src/base/a.cpp": top + '#include "base/a.hpp"\n#include <vector>\n#include "quern/error.hpp"\n',
        "src/backend/registry.cpp": top + '#include "backend/registry.hpp"\n#include "base/process.hpp"\n',
        "src/backend/host/a.cpp": top + '#include "backend/host/b.hpp"\n#include "frontend/host_abi.h"\n',
        "src/backend/opencl/a.cpp": top + '#include <CL/cl.h>\n#include "backend/backend.hpp"\n',
        "src/frontend/lower/a.cpp": top
        + '#include "frontend/preprocess/token.hpp"\n/*\n#include "runtime/queue.hpp"\n*/\n',
        "src/frontend/lower/c/a.cpp": top + '#include "frontend/lower/dialect.hpp"\n',
        "src/runtime/a.cpp": top + '#include "quern/queue.hpp"\n#include "backend/backend.hpp"\n',
        "src/algorithms/a.cpp": top + '#include "algorithms/launch/checks.hpp"\n',
        "src/array/a.cpp": top
        + '#include "algorithms/reduce.hpp"\n#include "algorithms/host/host_loops.hpp"\n',
        "src/algorithms/launch/a.cpp": top + "bool f() { return can_compile(); }\n",
        "src/array/c.cpp": top + "// As host_loop_use says.\nbool f() { return policy(queue).has_loops; }\n",
        "src/kernels/a.cl": top + '#include "b.cl"\n',
        "python/src/a.cpp": top
        + '#include <nanobind/nanobind.h>\n#include <quern/queue.hpp>\n#include "bind.hpp"\n',
        "python/src/binding.hpp": top + "#include <nanobind/stl/string.h>\n",
        "include/quern/a.hpp": top + '#include "quern/queue.hpp"\n\nnamespace QUERN_API quern {\n}\n',
        "tests/base/a.cpp": top + '#include "backend/host/b.hpp"\n',
        "script/demo": "#!/bin/sh\n# SPDX-License-Identifier: MIT\n",
        "python/quern/a.py": "# SPDX-License-Identifier: MIT\n",
        "src/notes.txt": "no source",
        "docs/architecture.md": page,
    }
    wrong = {
        "include/quern/hidden.hpp": top + "namespace quern {\nint f();\n}\n",
        "src/base/b.cpp": top + '#include "frontend/frontend.hpp"\n',
        "src/base/c.cpp": top + '#include "quern/queue.hpp"\n',
        "src/base/d.cpp": top + '#  include "../runtime/queue.hpp"\n',
        "src/base/e.cpp": top + '#include "a.hpp"\n',
        "src/base/f.cpp": "#include <vector>\n",
        "src/backend/a.cpp": top + '#include "backend/host/device.hpp"\n',
        "src/backend/host/b.cpp": top + '#include "backend/opencl/api.hpp"\n',
        "src/backend/host/c.cpp": top + '#include "frontend/frontend.hpp"\n',
        "src/backend/cuda/b.cpp": top + '#include "frontend/host_abi.h"\n',
        "src/backend/cuda/c.cpp": top + "#include <cuda.h>\n",
        "src/backend/cuda/d.cpp": top + "#include <nvrtc.h>\n",
        "src/backend/cuda/e.cpp": top + "#include <CL/cl.h>\n",
        "src/frontend/b.cpp": top + '#include "backend/backend.hpp"\n',
        "src/runtime/b.cpp": top + '#include "backend/cuda/api.hpp"\n',
        "src/runtime/c.cpp": top + '#include "array/node.hpp"\n',
        "src/codegen/b.cpp": top + '#include "runtime/queue.hpp"\n',
        "src/algorithms/launch/b.cpp": top + '#include "algorithms/sort_keys.hpp"\n',
        "src/frontend/builtins/b.cpp": top + '#include "frontend/parse/parser.hpp"\n',
        "src/frontend/lower/b.cpp": top + '#include "frontend/lower/c/dialect.hpp"\n',
        "src/frontend/lower/cuda/b.cpp": top + '#include "frontend/lower/c/dialect.hpp"\n',
        "src/frontend/lower/analysis/b.cpp": top + '#include "frontend/lower/dialect.hpp"\n',
        "src/algorithms/b.cpp": top + '#include "backend/backend.hpp"\n',
        "src/codegen/c.cpp": top + "bool f() { return device.kind == DeviceKind::cpu; }\n",
        "src/sparse/b.cpp": top + "bool f() { return calls_function(queue); }\n",
        "src/array/d.cpp": top + "bool f() { return device.dialect == Dialect::host_c; }\n",
        "src/array/b.cpp": top + '#include "algorithms/host/matmul_loops.hpp"\n',
        "src/functions/b.cpp": top + '#include "algorithms/host/host_loops.hpp"\n',
        "src/kernels/b.cl": top + '#include "../base/a.hpp"\n',
        "src/kernels/c.cl": top + "#include <math.h>\n",
        "python/src/b.cpp": top + '#include "runtime/queue.hpp"\n',
        "python/src/c.cpp": top + "#include <nanobind/stl/string.h>\n",
        "include/quern/b.hpp": top + '#include "base/digest.hpp"\n',
        "include/quern/c.hpp": top + "#include <Python.h>\n",
        "tests/base/b.cpp": top + "#include <cuda_runtime.h>\n",
        "script/test": "#!/bin/sh\necho\n",
        "python/quern/b.py": "import numpy\n",
        "src/base/CMakeLists.txt": "target_sources(quern)\n",
        "docs/architecture.md": page.replace("src/libraries/ text -> ", "src/libraries/ text -> array, "),
    }
    failures = 0
    for files, expected in ((right, False), (wrong, True)):
        for path, text in files.items():
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / path
                file.parent.mkdir(parents=True)
                file.write_text(text, encoding="utf-8")
                problems = check_tree(Path(folder))
            if bool(problems) != expected or len(problems) > 1:
                failures += 1
                print(f"self-test: {path}: {problems or 'was let through'}")
    print(f"self-test: {len(right) + len(wrong)} cases, {failures} failed")
    return failures


if __name__ == "__main__":
    sys.exit(check_main.main(__doc__, check_tree, self_test))
