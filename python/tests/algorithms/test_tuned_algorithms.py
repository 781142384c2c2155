# SPDX-License-Identifier: MIT
"""The library's algorithms give the same results with all values of their parameters, and use kept ones."""

import json

import numpy as np
import pytest

import quern as qn


@pytest.fixture(autouse=True)
def no_results():
    qn.tuning.forget()
    yield
    qn.tuning.forget()


def test_values_of_parameters_do_not_change_results(device, is_quick_on_pocl):
    found = qn.tuning.algorithms(device)
    assert {"reduction", "scan", "sort"} <= {algorithm.workload for algorithm in found}
    for algorithm in found:
        # Spaces of several parameters take long to compile.
        most = 4 if is_quick_on_pocl else 12
        result = qn.tuning.tune_algorithm(
            algorithm,
            device,
            strategy="random",
            repeats=1,
            max_evaluations=most,
            keep=False,
            progress=False,
        )
        failed = [c for c in result.candidates if c.status not in ("measured", "hopeless")]
        assert failed == [], f"{algorithm}: {failed[0].parameters}: {failed[0].error}"
        assert len(result.candidates) == min(most, result.space_size)


def keep(device, form, parameters):
    """Keeps parameters as if they had been measured."""
    algorithm = next(a for a in qn.tuning.algorithms(device) if a.form == form)
    qn.tuning.tune_algorithm(algorithm, device, repeats=1, max_evaluations=1, progress=False)
    document = json.loads(qn.tuning.export_results())
    for result in document["results"]:
        if result["problem"] == form:
            result["parameters"] = parameters
    qn.tuning.import_results(json.dumps(document))


def test_an_algorithm_compiles_what_a_kept_result_says(device, run_python):
    if "transpose" not in {algorithm.workload for algorithm in qn.tuning.algorithms(device)}:
        pytest.skip("the host transposes by a function of the library")
    form = next(a.form for a in qn.tuning.algorithms(device) if a.workload == "transpose")
    parameters = {"tile": 16} if form == "transpose_rows" else {"tile": 16, "rows": 8}
    keep(device, form, parameters)
    code = f"""
        import numpy as np, quern as qn
        x = np.arange(7000, dtype="float32").reshape(100, 70)
        on_device = qn.asarray(x, device={device.spec!r})
        counts = []
        for _ in range(2):
            np.testing.assert_array_equal(qn.asarray(on_device.T, copy=True).get(), x.T)
            stats = qn.stats()
            counts.append(stats.compilations + stats.cache_hits_disk)
            qn.tuning.forget()
        print(counts[1] - counts[0])
    """
    assert int(run_python(code).stdout) == 1  # the second transposition has another tile
    assert int(run_python(code).stdout) == 0  # for the first process has removed the result


@pytest.mark.parametrize(
    "values", [{"segments_per_unit": 16}, {"segments_per_unit": -1}, {"segments_per_unit": "x"}, {}]
)
def test_kept_values_of_any_kind_leave_sums_right(device, values):
    forms = {algorithm.form for algorithm in qn.tuning.algorithms(device)}
    form = next(form for form in forms if form.startswith("reduction"))
    keep(device, form, values)
    x = np.arange(1 << 20, dtype="int32") % 7
    assert int(qn.asarray(x, device=device).sum()) == int(x.sum())
