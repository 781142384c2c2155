# SPDX-License-Identifier: MIT
"""Pages of the reference in Python: all public names, from the registry of functions and from docstrings."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from docstrings import LINKED, body_of, escaped, signature_of, summary_of

# The page of a row of the registry: that of the last name here that stands before it in the registry. So a row that is
# added beside others comes to their page.
ROWS = {
    "add": "arithmetic",
    "exp": "exponentials",
    "sin": "trigonometry",
    "floor": "rounding",
    "equal": "comparison",
    "bitwise_and": "bits",
    "isnan": "floating-point",
    "real": "floating-point",
    "erf": "special",
    "packbits": "bits",
    "round": "rounding",
    "frexp": "floating-point",
    "isclose": "comparison",
    "real_if_close": "floating-point",
    "empty": "creation",
    "cumsum": "sums",
    "diff": "differences",
    "delete": "manipulation",
    "einsum": "products",
    "fft.dct": "fft",
    "histogram": "statistics",
    "unravel_index": "indexing",
    "clip": "arithmetic",
    "extract": "indexing",
    "concat": "manipulation",
    "histogramdd": "statistics",
    "linalg.norm": "linalg",
    "reshape": "manipulation",
    "nansum": "sums",
    "pad": "manipulation",
    "polyfit": "polynomials",
    "matmul": "products",
    "linalg.matmul": "linalg",
    "may_share_memory": "memory-of-arrays",
    "array_equiv": "comparison",
    "sum": "sums",
    "mean": "statistics",
    "roll": "manipulation",
    "isin": "sets",
    "convolve": "signals",
    "sort": "sorting",
    "unique": "sets",
    "linspace": "creation",
    "unstack": "manipulation",
    "median": "statistics",
    "permute_dims": "manipulation",
}
# Pages in the order of the navigation: file name, title, sentence, and the names that are not rows of the registry.
PAGES = (
    ("devices", "Devices", "Devices and contexts.",
     "Device Context device devices default_device current_device set_device synchronize backend_reports find_libraries copy_bandwidth MemoryInfo"),
    ("programs", "Programs and kernels", "Programs, kernels and their arguments.",
     "Program Kernel Template LocalMemory In Out InOut HostArgument Signature Parameter KernelAttributes Diagnostic struct_definition c_type_name "
     "check_struct_layout finish_compilation stats Stats"),
    ("generated-kernels", "Generated kernels", "Kernels that Quern writes around a line of C.",
     "ElementwiseKernel ReductionKernel ScanKernel"),
    ("queues", "Queues and events", "Queues, events and functions that wait.",
     "Queue Event UserEvent Times current_queue wait_all wait_any as_completed copy_rect"),
    ("graphs", "Captured graphs", "Graphs of recorded operations.", "Graph Capture graph GraphFunction is_capturing"),
    ("memory", "Memory", "Buffers, maps, pinned and shared memory, the pool.",
     "Buffer PinnedBuffer MemoryMap pinned_empty svm_empty svm_view svm_grain pool_stats PoolStats QueuePoolStats set_pool_limit set_allocator trim_pool"),
    ("profiles", "Profiles and measurements", "Profiles, explanations of expressions, and timing.",
     "profile Profile ProfilePicture ProfileRecord ProfileRow benchmark BenchmarkResult explain Explanation eager"),
    ("array", "The array", "The class of arrays, with its methods and attributes.", "Array"),
    ("creation", "Creating arrays", "Functions that make arrays.",
     "array asarray asanyarray frombuffer fromfunction fromiter from_dlpack mgrid ogrid r_ c_ ix_"),
    ("manipulation", "Shapes, joining and splitting", "Functions that rearrange elements.", "block broadcast_shapes"),
    ("indexing", "Indexing", "Functions that select elements.", "s_ index_exp mask_indices piecewise ndenumerate ndindex iterable"),
    ("memory-of-arrays", "Memory of arrays", "Whether arrays share memory; copies to the host.", "asnumpy get_array_module"),
    ("files", "Files and text", "Files, text and printing.",
     "load save savez savez_compressed loadtxt savetxt fromfile fromstring array2string array_repr array_str set_printoptions get_printoptions printoptions"),
    ("arithmetic", "Arithmetic", "Sums, products, powers and limits of elements.", ""),
    ("exponentials", "Exponentials and logarithms", "Exponentials, logarithms and powers of elements.", ""),
    ("trigonometry", "Trigonometry", "Trigonometric and hyperbolic functions of elements.", ""),
    ("rounding", "Rounding", "Functions that round elements.", ""),
    ("comparison", "Comparison and logic", "Comparisons, extremes and logic of elements.", ""),
    ("bits", "Bits", "Bits of integers.", ""),
    ("floating-point", "Floating-point and complex numbers", "Parts and kinds of floating-point and complex numbers.", ""),
    ("special", "Special functions", "Error, gamma and Bessel functions.", ""),
    ("sums", "Sums and reductions", "Reductions and cumulative functions along axes.", ""),
    ("statistics", "Statistics", "Means, quantiles, histograms and correlations.", ""),
    ("differences", "Differences and interpolation", "Differences, gradients, integrals, interpolation.", ""),
    ("products", "Products", "Products of matrices, vectors and tensors.",
     "einsum_path get_float32_matmul_precision set_float32_matmul_precision"),
    ("polynomials", "Polynomials", "Polynomials by their coefficients.", "poly1d"),
    ("sets", "Sets", "Sets of elements.", "UniqueAllResult UniqueCountsResult UniqueInverseResult"),
    ("sorting", "Sorting", "Sorted elements and their indices.", ""),
    ("signals", "Signals and windows", "Convolution, correlation and windows.", ""),
    ("linalg", "quern.linalg", "Linear algebra.", "EigResult EighResult QRResult SVDResult SlogdetResult linalg.*"),
    ("fft", "quern.fft", "Fourier, cosine and sine transforms.", "fft.*"),
    ("random", "quern.random", "Random numbers.", "random.*"),
    ("sparse", "quern.sparse", "Sparse matrices.", "sparse.*"),
    ("sparse-linalg", "quern.sparse.linalg", "Solvers and preconditioners of sparse matrices.", "sparse.linalg.*"),
    ("algorithms", "quern.algorithms", "Sorting, scans, selection and others on vectors, with all options.", "algorithms.*"),
    ("dist", "quern.dist", "Arrays that are distributed over ranks.", "dist.* dist.linalg.*"),
    ("cache", "quern.cache", "The cache of compiled kernels.", "cache.*"),
    ("testing", "quern.testing", "Assertions about arrays.", "testing.*"),
    ("errors", "Errors", "Every error that Quern raises.",
     "Error ArgumentError ArgumentTypeError ArgumentValueError ArgumentIndexError ArgumentOverflowError ArgumentAxisError BuildError BuildAttributeError "
     "KernelError DependencyError CaptureError MapError OutOfDeviceMemory DeviceNotFound DeviceLost DistributedError ForkError"),
    ("dtypes", "Dtypes, constants and names of NumPy", "Names that are NumPy's.",
     "astype can_cast result_type promote_types common_type isdtype iscomplexobj isrealobj finfo iinfo __array_namespace_info__"),
)  # fmt: skip
OTHERS = ("others", "Other functions", "Functions of Python objects, and all that no other page has.")
INDEX = "\n".join(
    (
        "# Reference of Python",
        "",
        "All public names, with `import quern as qn`. Functions of arrays have the names and parameters of NumPy's.",
        "",
    )
)


def rows_of(core: Any) -> dict[str, tuple[Any, list[str]]]:
    """Each row of the registry by its first name, with its other names."""
    found: dict[str, tuple[Any, list[str]]] = {}
    by_text: dict[tuple[str, str], str] = {}
    for name, function in core.functions.items():
        # Examples call the function by the name at hand.
        key = (name.rpartition(".")[0], function.__doc__.replace(f"qn.{name}(", "qn.("))
        if key in by_text:
            found[by_text[key]][1].append(name)
        else:
            by_text[key] = name
            found[name] = (function, [])
    return found


def _resolved(qn: Any, name: str) -> Any:
    value = qn
    for part in name.split("."):
        value = getattr(value, part)
    return value


def is_of_numpy(value: Any) -> bool:
    """Whether it is NumPy's, a module or a plain value: listed by name, not described."""
    if inspect.ismodule(value) or not (callable(value) or hasattr(type(value), "__getitem__")):
        return True
    owner = getattr(value, "__module__", None) or type(value).__module__ or ""
    return not owner.startswith("quern") and not getattr(value, "__qualname__", "").startswith("quern")


def public_names(qn: Any) -> dict[str, tuple[Any, list[str]]]:
    """Everything public by the name behind `qn.`, with its other names."""
    found = rows_of(qn._core)
    known = {one for name, (_, aliases) in found.items() for one in (name, *aliases)}
    modules = (
        "linalg",
        "fft",
        "random",
        "sparse",
        "sparse.linalg",
        "algorithms",
        "dist",
        "dist.linalg",
        "cache",
        "testing",
    )
    elementwise = set(qn.dist._elementwise.elementwise)  # described once, for arrays
    for module in ("", *modules):
        owner = _resolved(qn, module) if module else qn
        for own in owner.__all__:
            name = f"{module}.{own}" if module else own
            if name not in known and own != "ndarray" and not (module == "dist" and own in elementwise):
                value = getattr(owner, own)
                if not inspect.ismodule(value):
                    found[name] = (value, [])
    return found


def pages_of(names: dict[str, tuple[Any, list[str]]], core: Any) -> dict[str, list[str]]:
    """The names on each page: those of PAGES first, then rows in the order of the registry, then the rest."""
    pages: dict[str, list[str]] = {page: [] for page, *_ in (*PAGES, OTHERS)}
    owner: dict[str, str] = {}
    prefixes: dict[str, str] = {}
    for page, _, _, listed in PAGES:
        for name in listed.split():
            if name.endswith(".*"):
                prefixes[name[:-1]] = page
            elif name not in names:
                raise ValueError(f"tools/docs/python_reference.py lists {name}, which quern does not have")
            else:
                owner[name] = page
    if gone := set(ROWS) - set(core.functions):
        raise ValueError(
            f"tools/docs/python_reference.py names {sorted(gone)}, which the registry does not have"
        )
    page = ""
    for name in core.functions:
        page = ROWS.get(name, page)
        owner.setdefault(name, page)
    for page, _, _, listed in PAGES:
        pages[page] += [name for name in listed.split() if name in names]
    listed_before = {name for page in pages.values() for name in page}
    for name, (value, _) in names.items():
        if name in listed_before:
            continue
        prefix = name.rpartition(".")[0] + "."
        if prefix in prefixes:
            pages[prefixes[prefix]].append(name)
        elif name in owner:
            pages[owner[name]].append(name)
        else:
            pages["dtypes" if is_of_numpy(value) else "others"].append(name)
    return pages


def _members(value: type) -> list[tuple[str, Any]]:
    """Public methods and attributes, as the class has them; of errors those of quern alone."""
    found = {}
    for kind in reversed(value.__mro__):
        if (kind.__module__ or "").startswith("quern"):
            found |= {name: one for name, one in vars(kind).items() if name[0] != "_" or name == "__call__"}
    return sorted(found.items(), key=lambda one: (one[0] != "__call__", one[0].lower()))


def _directive(kind: str, signature: str, body: list[str], fence: int) -> list[str]:
    """A directive of MyST, with a fence longer than those inside."""
    ticks = "`" * fence
    return [f"{ticks}{{py:{kind}}} {signature}", "", *body, ticks, ""]


def _of_class(name: str, value: type) -> list[str]:
    is_error = issubclass(value, BaseException)
    body = body_of(value)
    called = "" if is_error else signature_of(value)
    if is_error:
        bases = [
            one.__name__
            for one in value.__mro__[1:]
            if one.__name__ not in ("Exception", "BaseException", "object")
        ]
        body += [f"Bases: {', '.join(f'`{one}`' for one in bases or ['Exception'])}.", ""]
    for own, member in _members(value):
        if isinstance(member, (staticmethod, classmethod)):
            member = member.__func__
        if isinstance(member, property) or not callable(member):
            if (getattr(member, "__doc__", None) or "") and isinstance(member, (property, *_DESCRIPTORS)):
                body += _directive("property", own, body_of(member), 6)
        elif not isinstance(member, type):
            body += _directive("method", f"{own}{signature_of(member) or '()'}", body_of(member), 6)
    return _directive(
        "exception" if is_error else "class", f"quern.{name}{'' if called == '()' else called}", body, 8
    )


_DESCRIPTORS = (type(type.__dict__["__mro__"]), type(vars(int)["numerator"]))


def described(name: str, value: Any, aliases: list[str]) -> list[str]:
    """The entry of one object on a page."""
    if isinstance(value, type):
        return _of_class(name, value)
    if callable(value):
        called = signature_of(value) or "(...)"
        names = " | ".join(f"quern.{one}{called}" for one in (name, *aliases))
        return _directive("function", names, body_of(value), 8)
    return _directive(
        "data", f"quern.{name}", [escaped(line) for line in (inspect.getdoc(value) or "").splitlines()], 8
    )


def _summary(names: list[str], known: dict[str, tuple[Any, list[str]]]) -> list[str]:
    """A table of the names on a page, with the first sentence of each."""
    lines = ["| name | what it does |", "|---|---|"]
    for name in names:
        value, aliases = known[name]
        shown = ", ".join(f"{{py:obj}}`{one} <quern.{one}>`" for one in (name, *aliases))
        lines.append(f"| {shown} | {escaped(summary_of(value))} |")
    return [*lines, ""]


def page_of(title: str, sentence: str, names: list[str], known: dict[str, tuple[Any, list[str]]]) -> str:
    """One page: a table of what is on it, then the entries."""
    own = [name for name in names if not is_of_numpy(known[name][0])]
    foreign = sorted(set(names) - set(own), key=str.lower)
    lines = [f"# {title}", "", sentence, "", *_summary(own, known)]
    for name in own:
        lines += described(name, *known[name])
    if foreign:
        lines += [
            "## Names that are NumPy's",
            "",
            "These are NumPy's own objects: see NumPy's documentation.",
            "",
        ]
        lines += [", ".join(f"`qn.{one}`" for one in foreign), ""]
    return "\n".join(lines)


def write(folder: Path, qn: Any) -> int:
    """Writes the pages into a folder, and returns how many names they describe."""
    folder.mkdir(parents=True, exist_ok=True)
    known = public_names(qn)
    pages = pages_of(known, qn._core)
    LINKED.update(
        {
            name: f"quern.{name}"
            for name, (value, _) in known.items()
            if isinstance(value, type) and not is_of_numpy(value)
        }
    )
    written = []
    for page, title, sentence, *_ in (*PAGES, OTHERS):
        if pages[page]:
            text = page_of(title, sentence, pages[page], known)
            if page == "dist":
                text += _of_elementwise(qn)
            (folder / f"{page}.md").write_text(text, encoding="utf-8")
            written.append((page, title, sentence))
    table = [f"| [{title}]({page}.md) | {sentence} |" for page, title, sentence in written]
    tree = ["", "```{toctree}", ":hidden:", "", *(page for page, *_ in written), "```", ""]
    index = [INDEX, "| page | what is on it |", "|---|---|", *table, *tree]
    (folder / "index.md").write_text("\n".join(index), encoding="utf-8")
    return sum(1 + len(aliases) for _, aliases in known.values())


def _of_elementwise(qn: Any) -> str:
    """quern.dist has the elementwise functions of arrays, which are described there."""
    names = sorted(set(qn.dist.__all__) & set(qn.dist._elementwise.elementwise), key=str.lower)
    links = ", ".join(f"{{py:obj}}`{name} <quern.{name}>`" for name in names)
    return f"\n## Elementwise functions\n\nThey are those of arrays, for distributed arrays: {links}.\n"


def anchors(text: str) -> set[str]:
    """The objects that a page of this reference describes, for tests."""
    return set(re.findall(r"^quern\.[\w.]+|(?<=\} )quern\.[\w.]+", text, re.MULTILINE))
