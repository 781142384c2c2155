#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scores the front end on a folder of kernel files: what clang accepts, and what builds on host and CUDA.

    tools/score_kernels.py FOLDER [--only TEXT] [--errors]

FOLDER/manifest.json is a list of {"file": ..., "options": ...}: a file's path in the folder and the build options that
its own host program uses. A relative -I is seen from the first folder of the file's path. Nothing is run.
"""

import argparse
import collections
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import nvrtc

import quern as qn

CLANG = ["clang", "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-fsyntax-only", "-w"]
CLANG += ["-target", "spir64"]
GCC = [
    "gcc",
    "-x",
    "c",
    "-std=gnu11",
    "-w",
    "-O0",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-c",
    "-o",
    "/dev/null",
    "-",
]


def by_clang(file: Path, options: list[str]) -> str:
    """clang's first error; empty when it accepts the file."""
    kept = [option for option in options if not option.startswith(("-cl-", "-w"))]
    done = subprocess.run([*CLANG, *kept, str(file)], capture_output=True, text=True, errors="replace")
    return first_error(done.stderr) if done.returncode else ""


def by_host(program: qn.Program) -> tuple[str, str]:
    """The first error, and how the kernels were lowered."""
    try:
        text = program.lowered_source("host")
    except qn.Error as error:
        return first_error(str(error)), ""
    try:
        done = subprocess.run(GCC, input=text, capture_output=True, text=True, errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        return "gcc: took more than 60 s", form_of(text)
    return ("gcc: " + first_error(done.stderr) if done.returncode else ""), form_of(text)


def by_cuda(program: qn.Program) -> str:
    try:
        text = program.lowered_source("cuda")
    except qn.Error as error:
        return first_error(str(error))
    log = nvrtc.compile_cuda(text)
    return "nvrtc: " + first_error(log) if log else ""


def form_of(text: str) -> str:
    """How the kernels of a text become loops: 'fibers 1, loop 2, split 1'. Those with barriers are split or fibers."""
    forms: collections.Counter[str] = collections.Counter()
    for name in re.findall(r"^void quern_kernel_(\w+)\(", text, re.MULTILINE):
        split = f" quern_split_{name}(" in text
        fibers = f" quern_fiber_{name}(" in text
        forms["split" if split else "fibers" if fibers else "loop"] += 1
    return ", ".join(f"{form} {count}" for form, count in sorted(forms.items()))


def first_error(text: str) -> str:
    for line in text.splitlines():
        if "error" in line:
            return line.strip()
    return (text.strip().splitlines() or ["failed without a message"])[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only files whose path holds this text")
    parser.add_argument("--errors", action="store_true", help="print every first error in full")
    options = parser.parse_args()
    if nvrtc.library() is None:
        sys.exit("NVRTC is not installed")

    root = options.folder.resolve()
    entries = [e for e in json.loads((root / "manifest.json").read_text()) if options.only in e["file"]]
    width = max(len(entry["file"]) for entry in entries)
    totals: collections.Counter[str] = collections.Counter()
    forms: collections.Counter[str] = collections.Counter()
    print(f"{'file':{width}}  clang  host  cuda  signatures  form, first error")
    for entry in entries:
        file = root / entry["file"]
        os.chdir(root / Path(entry["file"]).parts[0])
        flags = shlex.split(entry.get("options", ""))
        joined = [
            f + flags[i + 1] if f in ("-D", "-I") else f
            for i, f in enumerate(flags)
            if i == 0 or flags[i - 1] not in ("-D", "-I")
        ]
        clang = by_clang(file, joined)
        signatures = host = cuda = form = ""
        try:
            source = file.read_text(errors="replace")
            kept = [f for f in joined if not f.startswith("-w")] + [f"-I{file.parent}"]
            program = qn.Program(source, options=kept, name=str(file.relative_to(root)))
            dir(program)
        except qn.Error as error:
            signatures = host = cuda = first_error(str(error))
        else:
            host, form = by_host(program)
            cuda = by_cuda(program)
        results = {"clang": clang, "host": host, "cuda": cuda, "signatures": signatures}
        totals.update(name for name, error in results.items() if not error)
        totals["files"] += 1
        if not clang:
            totals.update("legal " + name for name, error in results.items() if not error)
        for part in filter(None, form.split(", ")):
            name, count = part.split()
            forms[name] += int(count)
        marks = ["ok" if not results[name] else "-" for name in ("clang", "host", "cuda", "signatures")]
        error = host or cuda or clang or signatures
        if not options.errors:
            error = error[:140]
        print(
            f"{entry['file']:{width}}  {marks[0]:5}  {marks[1]:4}  {marks[2]:4}  {marks[3]:10}  "
            + "; ".join(filter(None, [form, error])),
            flush=True,
        )
        if options.errors:
            for name in ("clang", "cuda"):
                if results[name] and results[name] != error:
                    print(f"{'':{width}}    {name}: {results[name]}")
    print(
        f"{totals['files']} files: clang accepts {totals['clang']}; of these the host builds {totals['legal host']}, "
        f"CUDA {totals['legal cuda']}, and signatures are read of {totals['legal signatures']}. "
        f"Of all files: host {totals['host']}, CUDA {totals['cuda']}."
    )
    print("kernels by form: " + (", ".join(f"{n} {c}" for n, c in sorted(forms.items())) or "not marked"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
