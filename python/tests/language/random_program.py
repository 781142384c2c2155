# SPDX-License-Identifier: MIT
"""Small legal OpenCL C programs out of a seed: no undefined behaviour, and every operation has one right result.

Signed sums and products are written on the unsigned counterparts, divisors are never zero, shift amounts are in range,
real numbers go through operations that are correctly rounded, and become integers by saturation.
"""

import random

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
REAL = ("float", "double")
SCALARS = [*BITS, *REAL]
WIDTHS = (1, 1, 1, 2, 3, 4, 8)
LETTERS = "xyzw"


def unsigned(base):
    return base if base.startswith("u") else "u" + base


def signed(base):
    return base.removeprefix("u")


def name(kind):
    base, width = kind
    return base if width == 1 else f"{base}{width}"


def mask_base(base):
    """The element of a comparison's result."""
    return {"float": "int", "double": "long"}.get(base) or signed(base)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.scopes = []
        self.helpers = []  # (name, result, parameters)
        self.structs = []  # (name, fields)
        self.counter = 0

    def choice(self, options):
        return self.random.choice(list(options))

    def fresh(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def kind(self):
        return self.choice(SCALARS), self.choice(WIDTHS)

    def places(self, kind):
        return [text for scope in self.scopes for text, k, _ in scope if k == kind]

    # expressions

    def literal(self, kind):
        base, width = kind
        if width > 1:
            if self.random.random() < 0.3:
                return f"({name(kind)})({self.literal((base, 1))})"
            return f"({name(kind)})({', '.join(self.literal((base, 1)) for _ in range(width))})"
        if base in REAL:
            value = self.choice(
                ["0.0", "1.0", "-1.5", "0.1", "3.75", "1e10", "-2e-5", "123456.789", "0x1.8p-3"]
            )
            return f"{value}f" if base == "float" else value
        bits = BITS[base]
        top = (1 << (bits if base.startswith("u") else bits - 1)) - 1
        value = self.choice([0, 1, 2, 7, top, top // 3, self.random.randint(0, top)])
        suffix = {"uint": "u", "long": "L", "ulong": "UL"}.get(base, "")
        return f"({base}){value}{suffix}"

    def leaf(self, kind):
        base, width = kind
        places = self.places(kind)
        if places and self.random.random() < 0.75:
            return self.choice(places)
        wider = [
            (t, k) for scope in self.scopes for t, k, _ in scope if k[0] == base and k[1] > max(width, 1)
        ]
        if wider and width in (1, 2, 3, 4) and self.random.random() < 0.8:
            text, (_, w) = self.choice(wider)
            letters = LETTERS[: min(w, 4)] if w <= 4 else "01234567"
            picked = "".join(self.choice(letters) for _ in range(width))
            return f"{text}.{'' if w <= 4 else 's'}{picked}"
        return self.literal(kind)

    def expression(self, kind, depth):
        if depth <= 0:
            return self.leaf(kind)
        base, width = kind
        roll = self.random.random()
        if roll < 0.12:
            return self.leaf(kind)
        if roll < 0.24:
            return self.conversion(kind, depth)
        if roll < 0.36:
            return self.conditional(kind, depth)
        calls = [h for h in self.helpers if h[1] == kind]
        if calls and roll < 0.46:
            called, _, parameters = self.choice(calls)
            return f"{called}({', '.join(self.expression(p, depth - 2) for p in parameters)})"
        if width in (2, 4, 8) and roll < 0.52:
            half = (
                self.expression((base, width // 2), depth - 1),
                self.expression((base, width // 2), depth - 1),
            )
            return f"(({name(kind)})({half[0]}, {half[1]}))"
        if width in (2, 4, 8) and base != "char" and roll < 0.56:
            index = {"float": "uint", "double": "ulong"}.get(base) or unsigned(base)
            mask = ", ".join(str(self.random.randrange(16)) for _ in range(width))
            return f"shuffle({self.expression(kind, depth - 1)}, ({index}{width})({mask}))"
        return self.real(kind, depth) if base in REAL else self.integer(kind, depth)

    def conversion(self, kind, depth):
        base, width = kind
        # PoCL 3.1 computes convert_double and rint of 2 to the 63 with undefined operations: 64 bits are cast, or not
        # taken, and there is no rint.
        source = self.choice(
            SCALARS if base not in REAL or width == 1 else [s for s in SCALARS if BITS.get(s) != 64]
        )
        inner = self.expression((source, width), depth - 1)
        if base in REAL:
            return f"(({base})({inner}))" if BITS.get(source) == 64 else f"convert_{name(kind)}({inner})"
        if source in REAL:
            return f"convert_{name(kind)}_sat{self.choice(['', '_rte', '_rtz', '_rtn', '_rtp'])}({inner})"
        if BITS[source] == BITS[base] and self.random.random() < 0.5:
            return f"as_{name(kind)}({inner})"
        return f"convert_{name(kind)}{self.choice(['', '_sat'])}({inner})"

    def conditional(self, kind, depth):
        base, width = kind
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        if width == 1 or self.random.random() < 0.2:
            return (
                f"(({name(kind)})({self.condition(depth - 1)} ? {a} : {b}))"  # small integers were promoted
            )
        test = self.comparison((base, width), depth - 1)
        return f"({test} ? {a} : {b})" if self.random.random() < 0.6 else f"select({b}, {a}, {test})"

    def comparison(self, kind, depth):
        op = self.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"({self.expression(kind, depth - 1)} {op} {self.expression(kind, depth - 1)})"

    def condition(self, depth):
        base = self.choice(SCALARS)
        roll = self.random.random()
        if roll < 0.2:
            width = self.choice([2, 4])
            return f"{self.choice(['any', 'all'])}({self.comparison((base, width), depth)})"
        if roll < 0.35:
            op = self.choice(["&&", "||"])
            return f"({self.comparison((base, 1), depth)} {op} !{self.comparison((base, 1), depth)})"
        return self.comparison((base, 1), depth)

    def integer(self, kind, depth):
        base, width = kind
        a, b, c = (self.expression(kind, depth - 1) for _ in range(3))
        t, u = name(kind), name((unsigned(base), width))
        op = self.choice(["+", "-", "*", "&", "|", "^", "~", "/", "%", "<<", ">>", "call", "call", "call"])
        if op == "~":
            return f"(({t})(~{a}))"
        if op in "&|^":
            return f"(({t})({a} {op} {b}))"
        if op in ("<<", ">>"):
            amount = f"({u})({self.random.randrange(BITS[base])})"
            return f"(({t})({a} >> {amount}))" if op == ">>" else f"as_{t}(({u})(as_{u}({a}) << {amount}))"
        if op in "/%":
            divisor = f"((as_{u}({b}) & ({u})(15)) + ({u})(1))"
            return f"as_{t}(({u})(as_{u}({a}) {op} {divisor}))"
        if op in "+-*":
            wide = "(uint)" if width == 1 and base == "ushort" else ""
            return f"as_{t}(({u})({wide}as_{u}({a}) {op} as_{u}({b})))"
        call = self.choice(
            [
                "min",
                "max",
                "add_sat",
                "sub_sat",
                "hadd",
                "rhadd",
                "mul_hi",
                "abs_diff",
                "rotate",
                "clz",
                "popcount",
                "mad_hi",
                "mad_sat",
                "clamp",
                "bitselect",
                "abs",
            ]
        )
        if call in ("clz", "popcount"):
            return f"{call}({a})"
        if call == "abs":
            return f"as_{t}(abs({a}))"
        if call == "abs_diff":
            return f"as_{t}(abs_diff({a}, {b}))"
        if call in ("mad_hi", "mad_sat", "bitselect"):
            return f"{call}({a}, {b}, {c})"
        if call == "clamp":
            return f"clamp({a}, min({b}, {c}), max({b}, {c}))"
        return f"{call}({a}, {b})"

    def real(self, kind, depth):
        a, b, c = (self.expression(kind, depth - 1) for _ in range(3))
        op = self.choice(
            ["+", "-", "*", "/", "neg", "fabs", "sqrt", "floor", "ceil", "trunc", "fma", "copysign"]
        )
        if op in "+-*/":
            return f"({a} {op} {b})"
        if op == "neg":
            return f"(-({a}))"
        if op == "sqrt":
            return f"sqrt(fabs({a}))"
        if op == "fma":
            return f"fma({a}, {b}, {c})"
        if op == "copysign":
            return f"copysign({a}, {b})"
        return f"{op}({a})"

    # statements

    def declare(self, indent):
        kind = self.kind()
        roll = self.random.random()
        if roll < 0.15 and self.structs:
            struct, fields = self.choice(self.structs)
            variable = self.fresh("s")
            values = ", ".join(self.expression(k, 1) for _, k in fields)
            lines = [f"{indent}{struct} {variable} = {{{values}}};"]
            self.scopes[-1] += [(f"{variable}.{field}", k, True) for field, k in fields]
            return lines
        variable = self.fresh("v")
        if roll < 0.3:
            size = self.random.randint(2, 4)
            values = ", ".join(self.expression(kind, 1) for _ in range(size))
            self.scopes[-1] += [(f"{variable}[{k}]", kind, True) for k in range(size)]
            return [f"{indent}{name(kind)} {variable}[{size}] = {{{values}}};"]
        line = f"{indent}{name(kind)} {variable} = {self.expression(kind, 3)};"
        self.scopes[-1].append((variable, kind, True))
        return [line]

    def assign(self, indent):
        targets = [(t, k) for scope in self.scopes for t, k, writable in scope if writable]
        if not targets:
            return self.declare(indent)
        text, kind = self.choice(targets)
        base, width = kind
        roll = self.random.random()
        if width in (2, 3, 4) and roll < 0.4:
            count = self.choice([n for n in (1, 2, 3) if n <= width])
            lanes = "".join(self.random.sample(LETTERS[:width], count))
            value = self.expression((base, count), 2)
            return [f"{indent}{text}.{lanes} = {value};"]
        if base in ("uint", "ulong", *REAL) and roll < 0.7:
            op = self.choice(["+=", "-=", "*="])
            return [f"{indent}{text} {op} {self.expression(kind, 2)};"]
        if base not in REAL and roll < 0.8:
            return [f"{indent}{text} {self.choice(['&=', '|=', '^='])} {self.expression(kind, 2)};"]
        return [f"{indent}{text} = {self.expression(kind, 3)};"]

    def block(self, indent, depth, count):
        self.scopes.append([])
        lines = [line for _ in range(count) for line in self.statement(indent, depth)]
        self.scopes.pop()
        return lines

    def statement(self, indent, depth):
        roll = self.random.random()
        inner = indent + "  "
        if depth <= 0 or roll < 0.35:
            return self.declare(indent)
        if roll < 0.65:
            return self.assign(indent)
        if roll < 0.8:
            lines = [f"{indent}if ({self.condition(2)}) {{", *self.block(inner, depth - 1, 2), f"{indent}}}"]
            if self.random.random() < 0.5:
                lines[-1] += " else {"
                lines += [*self.block(inner, depth - 1, 2), f"{indent}}}"]
            return lines
        if roll < 0.92:
            i, n = self.fresh("i"), self.random.randint(1, 5)
            self.scopes.append([(i, ("int", 1), False)])
            lines = [f"{indent}for (int {i} = 0; {i} < {n}; {i}++) {{", *self.block(inner, depth - 1, 2)]
            if self.random.random() < 0.4:
                lines.append(f"{inner}if ({self.condition(2)}) {self.choice(['break', 'continue'])};")
            self.scopes.pop()
            return [*lines, f"{indent}}}"]
        lines = [f"{indent}switch (convert_int({self.expression(('uchar', 1), 2)}) & 3) {{"]
        for case in range(self.random.randint(1, 3)):
            lines += [
                f"{indent}case {case}: {{",
                *self.block(inner, depth - 1, 1),
                f"{indent}}} {self.choice(['break;', ''])}",
            ]
        return [
            *lines,
            f"{indent}default: {{",
            *self.block(inner, depth - 1, 1),
            f"{indent}}}",
            f"{indent}}}",
        ]

    def function(self):
        result, parameters = self.kind(), [self.kind() for _ in range(self.random.randint(1, 3))]
        named = [(self.fresh("p"), kind) for kind in parameters]
        self.scopes = [[(n, kind, True) for n, kind in named]]
        function = self.fresh("helper")
        lines = [f"{name(result)} {function}({', '.join(f'{name(k)} {n}' for n, k in named)}) {{"]
        body = [line for _ in range(3) for line in self.statement("  ", 1)]
        lines += [*body, f"  return {self.expression(result, 3)};", "}"]
        self.helpers.append((function, result, parameters))
        return lines

    def program(self):
        """The text of a kernel k(global const uint *in, global ulong *out) that reads and writes one element."""
        lines = ["#pragma OPENCL FP_CONTRACT OFF"]
        lines.append(
            "ulong mix_in(ulong h, ulong x) { h ^= x; h *= 0x9e3779b97f4a7c15UL; return h ^ (h >> 29); }"
        )
        lines.append("ulong of_float(float x) { return isnan(x) ? 0x7fc00000UL : (ulong)as_uint(x); }")
        lines.append("ulong of_double(double x) { return isnan(x) ? 0x7ff8000000000000UL : as_ulong(x); }")
        for _ in range(self.random.randint(0, 2)):
            struct = self.fresh("Record")
            fields = [(self.fresh("m"), self.kind()) for _ in range(self.random.randint(2, 4))]
            lines.append(f"typedef struct {{ {' '.join(f'{name(k)} {n};' for n, k in fields)} }} {struct};")
            self.structs.append((struct, fields))
        for _ in range(self.random.randint(1, 3)):
            lines += self.function()
        lines += [
            "kernel void k(global const uint *in, global ulong *out) {",
            "  const uint seed = in[get_global_id(0)];",
            "  const int small = (int)(seed % 1000) - 500;",
            "  const float real = small * 0.37f;",
            "  const uchar4 bytes = as_uchar4(seed);",
        ]
        kinds = {"seed": ("uint", 1), "small": ("int", 1), "real": ("float", 1), "bytes": ("uchar", 4)}
        self.scopes = [[(text, kind, False) for text, kind in kinds.items()], []]
        lines += [line for _ in range(10) for line in self.statement("  ", 2)]
        lines.append("  ulong h = seed;")
        for text, (base, width), _ in self.scopes[1]:
            for lane in range(width):
                part = text if width == 1 else f"{text}.s{lane}"
                value = f"of_{base}({part})" if base in REAL else f"(ulong){part}"
                lines.append(f"  h = mix_in(h, {value});")
        return "\n".join([*lines, "  out[get_global_id(0)] = h;", "}", ""])
