# SPDX-License-Identifier: MIT
"""Programs: building, options, errors, binaries, CUDA C."""

import numpy as np
import pytest

import quern as qn


def test_kernels_are_found_by_name(basic):
    assert basic.twice is basic["twice"]
    assert basic.twice.name == "twice"
    assert "twice" in basic.kernel_names and "add" in basic.kernel_names
    assert "twice" in dir(basic) and "twice" in repr(basic)
    assert "kernel void twice" in basic.source


def test_a_kernel_that_is_not_there_lists_those_that_are(basic):
    with pytest.raises(AttributeError, match="twice") as error:
        _ = basic.thrice
    assert "thrice" in str(error.value)
    with pytest.raises(KeyError, match="twice"):
        basic["thrice"]
    assert not hasattr(basic, "__array_interface__")


def test_defines_reach_the_source(device):
    program = qn.Program(
        "kernel void f(global int *a) { a[0] = VALUE; a[1] = FLAG; a[2] = OFF; a[3] = sizeof(TYPE); }",
        defines={"VALUE": 42, "FLAG": True, "OFF": False, "TYPE": "short"},
    )
    a = qn.zeros(4, "int32", device)
    program.f(qn.Queue(device), 1, None, a)
    assert a.get().tolist() == [42, 1, 0, 2]


@pytest.mark.parametrize(
    ("value", "expected"), [(3, 3), (np.int64(3), 3), (np.bool_(True), 1), (2.5, 2.5), (np.float32(2.5), 2.5)]
)
def test_defines_are_numbers_of_any_kind(device, value, expected):
    a = qn.zeros(1, "float32", device)
    source = "kernel void f(global float *a) { a[0] = VALUE; NOTHING }"
    program = qn.Program(source, defines={"VALUE": value, "NOTHING": None})
    program.f(qn.Queue(device), 1, None, a)
    assert a.get().tolist() == [expected]


@pytest.mark.parametrize("defines", [["N"], "N", {"N"}, 3, [("N", 1)], {1: 2}, {None: 1}])
def test_defines_that_are_no_dict_of_names_are_errors(defines):
    with pytest.raises(qn.ArgumentTypeError, match="defines: expected a dict of names and values"):
        qn.Program("kernel void f(global int *a) {}", defines=defines)


@pytest.mark.parametrize("value", [[1], (1, 2), {}, object(), 1j, b"1", np.zeros(2)])
def test_defines_of_no_number_or_text_are_errors(value):
    with pytest.raises(qn.ArgumentTypeError, match="'N'"):
        qn.Program("kernel void f(global int *a) {}", defines={"N": value})


@pytest.mark.parametrize(
    "options", ["-DN=3 -cl-fast-relaxed-math", ["-DN=3", "-cl-fast-relaxed-math"], "-D N=3"]
)
def test_options_reach_the_compiler(device, options):
    a = qn.zeros(1, "int32", device)
    qn.Program("kernel void f(global int *a) { a[0] = N; }", options=options).f(qn.Queue(device), 1, None, a)
    assert a.get().tolist() == [3]


def test_include_paths_are_searched(device, tmp_path):
    # OpenCL takes its options as one text, and not every driver understands quotes in it.
    folder = tmp_path / ("folder" if device.backend == "opencl" else "a folder")
    folder.mkdir()
    (folder / "five.h").write_text("#define FIVE 5\n")
    program = qn.Program(
        '#include "five.h"\nkernel void f(global int *a) { a[0] = FIVE; }', include_paths=[folder]
    )
    a = qn.zeros(1, "int32", device)
    program.f(qn.Queue(device), 1, None, a)
    assert a.get().tolist() == [5]


def test_a_changed_include_is_seen(device, tmp_path):
    results = []
    for value in (1, 2):
        (tmp_path / "value.h").write_text(f"#define VALUE {value}\n")
        program = qn.Program(
            '#include "value.h"\nkernel void f(global int *a) { a[0] = VALUE; }', include_paths=[tmp_path]
        )
        a = qn.zeros(1, "int32", device)
        program.f(qn.Queue(device), 1, None, a)
        results += a.get().tolist()
    assert results == [1, 2]


def test_an_include_that_changes_between_the_names_and_the_build_is_seen(device, tmp_path):
    header = tmp_path / "k.h"
    header.write_text("kernel void f(global float *a, int n) { a[0] = n; }")
    program = qn.Program('#include "k.h"', include_paths=[tmp_path])
    assert program.kernel_names == ["f"]
    header.write_text(
        "kernel void f(global float *a, float n) { a[0] = n; }\nkernel void g(global float *a) { a[0] = 1; }"
    )
    a = qn.zeros(1, "float32", device)
    program.f(qn.Queue(device), 1, None, a, 2.5)
    assert a.get().tolist() == [2.5]


def test_an_error_of_an_include_is_gone_when_the_file_is_mended(device, tmp_path):
    header = tmp_path / "k.h"
    header.write_text("kernel void f(global int *a) { a[0] = missing; }")
    program = qn.Program('#include "k.h"', include_paths=[tmp_path])
    a = qn.zeros(1, "int32", device)
    with pytest.raises(qn.BuildError, match="missing"):
        program.f(qn.Queue(device), 1, None, a)
    with pytest.raises(AttributeError, match="g"):
        _ = program.g
    header.write_text(
        "kernel void f(global int *a) { a[0] = 7; }\nkernel void g(global int *a) { a[0] = 8; }"
    )
    program.f(qn.Queue(device), 1, None, a)
    assert a.get().tolist() == [7]
    program.g(qn.Queue(device), 1, None, a)
    assert a.get().tolist() == [8]


@pytest.mark.parametrize(
    "spelled",
    [
        '#inc\\\nlude "value.h"',
        '#include /* of a value */ "value.h"',
        '# /**/ include "value.h"',
        '%:include "value.h"',
        '#define NAME "value.h"\n#include NAME',
        "#ifndef NEVER\n#include <value.h>\n#endif",
    ],
)
@pytest.mark.parametrize("is_nested", [False, True])
def test_a_changed_include_is_seen_however_it_is_written(device, tmp_path, spelled, is_nested):
    if device.backend == "opencl" and device.platform != "Portable Computing Language":
        pytest.skip("not every driver's preprocessor reads each of these")
    (tmp_path / "outer.h").write_text(spelled + "\n")
    results = []
    for value in (1, 2):
        (tmp_path / "value.h").write_text(f"#define VALUE {value}\n")
        first = '#include "outer.h"' if is_nested else spelled
        program = qn.Program(
            first + "\nkernel void f(global int *a) { a[0] = VALUE; }", include_paths=[tmp_path]
        )
        a = qn.zeros(1, "int32", device)
        program.f(qn.Queue(device), 1, None, a)
        results += a.get().tolist()
    assert results == [1, 2]


def length_of_the_headers_name(device, include_paths):
    source = '#include "own_name.h"\nkernel void f(global int *a) { a[0] = length_of_own_name; }'
    a = qn.zeros(1, "int32", device)
    qn.Program(source, include_paths=include_paths).f(qn.Queue(device), 1, None, a)
    return int(a.get()[0])


# The headers have the same text, so that only their folders tell the programs apart.
@pytest.mark.parametrize("moves", [True, False])
def test_the_folder_of_an_include_is_a_part_of_the_cache_key(device, tmp_path, moves):
    if moves and device.backend == "opencl" and device.platform != "Portable Computing Language":
        pytest.skip("a driver may have a cache of its own, which knows the text only")
    folders = [tmp_path / "a", tmp_path / "a_longer_name"]
    for folder in folders:
        folder.mkdir()
    lengths = []
    for folder in folders:
        (folder / "own_name.h").write_text("constant int length_of_own_name = sizeof(__FILE__);\n")
        lengths.append(length_of_the_headers_name(device, folders if moves else [folder]))
        if moves:
            (folder / "own_name.h").unlink()
    assert lengths[1] - lengths[0] == len("a_longer_name") - len("a")


def test_a_file_that_a_condition_asks_for_is_seen_when_it_comes(device, tmp_path):
    source = """
    #ifdef __has_include
    #if __has_include("extra.h")
    #include "extra.h"
    #endif
    #endif
    #ifndef VALUE
    #define VALUE 1
    #endif
    kernel void f(global int *a) { a[0] = VALUE; }"""
    results = []
    for _ in range(2):
        program = qn.Program(source, include_paths=[tmp_path])
        a = qn.zeros(1, "int32", device)
        program.f(qn.Queue(device), 1, None, a)
        results += a.get().tolist()
        (tmp_path / "extra.h").write_text("#define VALUE 2\n")
    assert results == [1, 2]


def test_a_shell_never_sees_options(device, tmp_path):
    with pytest.raises(qn.BuildError):
        qn.Program(
            "kernel void f(global int *a) { a[0] = X; }",
            options=[f"-DX=`touch {tmp_path}/seen`", f"; touch {tmp_path}/seen"],
            name=f"$(touch {tmp_path}/seen).cl",
        ).build(device)
    assert not list(tmp_path.iterdir())


BROKEN = """// a comment on line 1

kernel void broken(global float *a) {
  int i = get_global_id(0);
  a[i] = undeclared_name + 1;
}
"""


def test_a_build_error_points_into_the_users_source(device):
    with pytest.raises(qn.BuildError) as error:
        qn.Program(BROKEN, name="broken.cl", options=["-DSOME_OPTION=1"]).build(device)
    text = str(error.value)
    assert "undeclared_name" in text
    assert "broken.cl" in text and "5" in text
    assert "a[i] = undeclared_name + 1;" in text
    first = next(d for d in error.value.diagnostics if d.severity == "error")
    assert first.line == 5
    assert "undeclared_name" in first.text
    assert "broken.cl" in first.file
    assert isinstance(error.value.log, str)
    assert "SOME_OPTION" in error.value.options
    assert error.value.device
    assert repr(first)


@pytest.mark.parametrize(
    "source", ["kernel void f(", "kernel void f(global int *a) { a[0] = ; }", "#error stop here\n", '"']
)
def test_nonsense_is_a_build_error(device, source):
    with pytest.raises(qn.BuildError):
        qn.Program(source).build(device)


def test_a_failed_build_fails_again_and_leaves_other_programs_usable(device, basic):
    program = qn.Program("kernel void f(global int *a) { a[0] = nothing; }")
    for _ in range(2):
        with pytest.raises(qn.BuildError, match="nothing"):
            program.f(qn.Queue(device), 1, None, qn.zeros(1, "int32", device))
    a = qn.asarray(np.ones(4, np.float32), device=device)
    basic.twice(qn.Queue(device), 4, None, a)
    assert (a.get() == 2).all()


def test_building_returns_the_program(device):
    program = qn.Program("kernel void f(global int *a) { a[0] = 1; }")
    assert program.build(device) is program
    assert isinstance(program.log(device), str)


def test_options_in_place_of_a_device_are_named(basic):
    with pytest.raises(ValueError, match=r"got '-DN=1'; options belong to Program\(source, options="):
        basic.build("-DN=1")


def test_a_program_knows_for_which_devices_it_is_built(device, other_device):
    text = "kernel void one(global int *x) { x[get_global_id(0)] = 1; }"
    program = qn.Program(text)
    assert program.kernel_names == ["one"] and not program.is_built(device)
    program.one(qn.Queue(device), 1, None, qn.zeros(1, "int32", device)).wait()
    assert program.is_built(device) and program.is_built(device.spec) and not program.is_built(other_device)
    assert not qn.Program(text).is_built(device)  # the cache has it, this program does not
    assert qn.Program.from_binary(program.binary(device), device).is_built(device)


def test_the_lowered_source_is_shown(device):
    program = qn.Program("kernel void shown(global int *a) { a[0] = 1; }")
    assert "shown" in program.lowered_source(device)


def test_a_binary_is_a_program_again(device):
    source = "kernel void f(global int *a, int n) { a[0] = n; }"
    binary = qn.Program(source).binary(device)
    assert isinstance(binary, bytes) and binary
    program = qn.Program.from_binary(binary, device)
    assert "f" in program.kernel_names
    a = qn.zeros(1, "int32", device)
    program.f(qn.Queue(device), 1, None, a, np.int32(17))
    assert a.get().tolist() == [17]


@pytest.mark.parametrize("content", [b"", b"nonsense", bytes(1000)])
def test_a_binary_that_is_none_is_an_error(device, content):
    with pytest.raises(qn.Error):
        qn.Program.from_binary(content, device).build(device)


def test_a_damaged_binary_is_an_error(device):
    binary = qn.Program("kernel void f(global int *a) { a[0] = 1; }").binary(device)
    for damaged in (binary[: len(binary) // 2], bytes(32) + binary[32:]):
        with pytest.raises(qn.Error):
            program = qn.Program.from_binary(damaged, device)
            program.f(qn.Queue(device), 1, None, qn.zeros(1, "int32", device))


def test_printf_reaches_standard_output(run_python, device):
    done = run_python(
        f"""
        import quern as qn
        p = qn.Program('kernel void f(int n) {{ printf("printed %d\\\\n", n); }}')
        try:
            p.build("{device.spec}")
        except qn.BuildError as error:
            assert "support" in str(error), error
            print("printed 7")
        else:
            q = qn.Queue("{device.spec}")
            p.f(q, 1, None, 7)
            q.finish()
        """
    )
    assert "printed 7" in done.stdout


@pytest.mark.parametrize("language", ["fortran", "", "OpenCL"])
def test_a_language_that_is_none_is_an_error(language):
    with pytest.raises(qn.ArgumentValueError, match="language"):
        qn.Program("", language=language)


CUDA = """
template <class T> __global__ void scale(T *a, T factor) { a[threadIdx.x + blockIdx.x * blockDim.x] *= factor; }
__constant__ float weights[4];
__device__ int counter;
extern "C" __global__ void weigh(float *a) { a[threadIdx.x] *= weights[threadIdx.x]; }
extern "C" __global__ void count() { atomicAdd(&counter, 1); }
extern "C" __global__ void reverse(int *a) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
"""


@pytest.fixture(scope="module")
def cuda(device):
    if device.backend != "cuda":
        pytest.skip("CUDA C runs on CUDA devices")
    names = ["scale<float>", "scale<double>"]
    return qn.Program(CUDA, language="cuda", name="cuda.cu", name_expressions=names).build(device)


def test_cuda_c_needs_a_cuda_device(device):
    if device.backend == "cuda":
        pytest.skip("this is one")
    with pytest.raises(qn.Error):
        qn.Program(CUDA, language="cuda").build(device)


@pytest.mark.parametrize("name, dtype", [("float", np.float32), ("double", np.float64)])
def test_template_instances_are_kernels(cuda, device, name, dtype):
    a = qn.asarray(np.arange(64, dtype=dtype), device=device)
    cuda[f"scale<{name}>"](qn.Queue(device), None, None, a, a.dtype.type(3), grid=2, block=32)
    assert (a.get() == 3 * np.arange(64)).all()


def test_module_globals_are_buffers(cuda, device):
    queue = qn.Queue(device)
    cuda.global_("weights", device).write(np.array([1, 2, 3, 4], np.float32), queue=queue)
    a = qn.asarray(np.ones(4, np.float32), device=device)
    cuda.weigh(queue, 4, 4, a)
    assert a.get().tolist() == [1, 2, 3, 4]
    counter = cuda.global_("counter", device)
    counter.fill(0, queue=queue)
    cuda.count(queue, None, None, grid=(4, 2), block=(8, 4))
    assert counter.read(np.empty(1, np.int32), queue=queue).tolist() == [256]
    with pytest.raises(qn.ArgumentError):
        cuda.global_("no_such", device)


def test_dynamic_shared_memory(cuda, device):
    a = qn.asarray(np.arange(32, dtype=np.int32), device=device)
    cuda.reverse(qn.Queue(device), None, None, a, grid=1, block=32, shared_memory=128)
    assert (a.get() == np.arange(32)[::-1]).all()


def test_a_cuda_build_error_points_into_the_users_source(device):
    if device.backend != "cuda":
        pytest.skip("CUDA C runs on CUDA devices")
    with pytest.raises(qn.BuildError, match="missing") as error:
        qn.Program('\n\nextern "C" __global__ void f(int *a) { a[0] = missing; }', language="cuda").build(
            device
        )
    assert any(d.line == 3 for d in error.value.diagnostics)


@pytest.mark.parametrize("source", [b"", 5, None])
def test_a_source_that_is_no_text_is_an_error(source):
    with pytest.raises(qn.ArgumentTypeError, match="source: expected a str"):
        qn.Program(source)


def test_a_binary_that_is_no_bytes_is_an_error(device):
    with pytest.raises(qn.ArgumentTypeError, match="binary: expected bytes, got str"):
        qn.Program.from_binary("text", device)
