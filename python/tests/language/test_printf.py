# SPDX-License-Identifier: MIT
"""printf from a kernel: every conversion, flags, vectors."""

import pytest

SOURCE = r"""
kernel void say(global int *a, float4 v) {
  printf("d=%d i=%5d| u=%u x=%#x X=%08X o=%o\n", -3, 42, 7u, 255, 48879, 8);
  printf("c=%c s=%s %%\n", 'q', "text");
  printf("f=%f %.2f %8.3f| e=%.3e g=%g\n", 1.5f, 2.345f, -2.5f, 12345.678f, 0.0001f);
  printf("l=%ld lu=%lu hd=%hd hhd=%hhd\n", -1234567890123L, 18446744073709551615UL, (short)-7, (char)-8);
  printf("v=%v4hlf\n", v);
  printf("w=%.1v4hlf|\n", v);
  printf("n=%v3hld\n", (int3)(1, -2, 3));
  printf("b=%v2hhd\n", (char2)(1, -2));
  printf("left=%-6d| plus=%+d zero=%05d\n", 12, 5, 42);
  printf("none\n");
  a[0] = 1;
}
"""
LINES = [
    "d=-3 i=   42| u=7 x=0xff X=0000BEEF o=10",
    "c=q s=text %",
    "f=1.500000 2.35   -2.500| e=1.235e+04 g=0.0001",
    "l=-1234567890123 lu=18446744073709551615 hd=-7 hhd=-8",
    "v=1.000000,2.500000,-3.000000,4.000000",
    "w=1.0,2.5,-3.0,4.0|",
    "n=1,-2,3",
    "b=1,-2",
    "left=12    | plus=+5 zero=00042",
    "none",
]


def test_conversions_of_printf(run_python, device, nvidia_differs):
    nvidia_differs("text before a vector is lost")
    done = run_python(f"""
        import numpy as np
        import quern as qn
        queue = qn.Queue(qn.device({device.spec!r}))
        a = qn.zeros(1, np.int32, queue=queue)
        qn.Program({SOURCE!r}).say(queue, 1, None, a, (1, 2.5, -3, 4))
        queue.finish()
        assert a.get()[0] == 1
    """)
    got = done.stdout.splitlines()
    assert got == LINES


def test_every_work_item_prints_once(run_python, device):
    done = run_python(f"""
        import quern as qn
        queue = qn.Queue(qn.device({device.spec!r}))
        qn.Program('kernel void say(int n) {{ printf("item %d of %d\\\\n", (int)get_global_id(0), n); }}').say(queue, 50, None, 50)
        queue.finish()
    """)
    assert sorted(done.stdout.splitlines()) == sorted(f"item {i} of 50" for i in range(50))


@pytest.mark.usefixtures("beyond_the_standard")
def test_text_through_a_pointer(run_python, device):
    done = run_python(f"""
        import quern as qn
        queue = qn.Queue(qn.device({device.spec!r}))
        qn.Program('''
        constant char *constant names[2] = {{"a", "bcd"}};
        kernel void say(int n) {{ printf("%s in %s\\\\n", names[n], __func__); }}''').say(queue, 1, None, 1)
        queue.finish()
    """)
    assert done.stdout == "bcd in say\n"
