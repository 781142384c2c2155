# SPDX-License-Identifier: MIT
"""The threads of the host device follow the ranks that a launcher has started on the machine."""

import os

import pytest

PRINT = "import quern; print(quern.device('host').compute_units)"
NARROW = "import os; os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:{count}]); "
LAUNCHERS = {
    "open_mpi": {"OMPI_COMM_WORLD_LOCAL_SIZE": "{size}", "OMPI_COMM_WORLD_LOCAL_RANK": "0"},
    "hydra": {"MPI_LOCALNRANKS": "{size}", "MPI_LOCALRANKID": "1"},
    "slurm": {"SLURM_STEP_TASKS_PER_NODE": "1,{size}(x3)", "SLURM_NODEID": "1", "SLURM_LOCALID": "0"},
    "pals": {"PALS_LOCAL_SIZE": "{size}", "PALS_LOCAL_RANKID": "0"},
}
NONE = dict.fromkeys([*(name for one in LAUNCHERS.values() for name in one), "QUERN_THREADS"])


@pytest.fixture
def threads(run_python):
    def count(code=PRINT, **environment):
        return int(run_python(code, env={**NONE, **environment}).stdout)

    return count


def under(launcher, size):
    return {name: text.format(size=size) for name, text in LAUNCHERS[launcher].items()}


@pytest.mark.parametrize("launcher", LAUNCHERS)
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_ranks_of_a_machine_share_its_processors(threads, launcher, size):
    alone = threads()
    assert threads(**under(launcher, size)) == max(1, alone // size)


def test_quern_threads_is_used_first(threads):
    alone = threads()
    assert threads(**under("open_mpi", 1000), QUERN_THREADS=str(alone)) == alone


def test_an_affinity_mask_that_the_launcher_has_narrowed_is_used(threads):
    most = len(os.sched_getaffinity(0))
    if most < 2:
        pytest.skip("needs two processors")
    # The parent is the launcher here, and has the whole mask.
    assert threads(NARROW.format(count=most // 2) + PRINT, **under("open_mpi", 2)) == min(
        most // 2, threads()
    )


def test_scripts_between_launcher_and_rank_are_not_the_launcher(threads):
    """The script has the narrow mask, too, but it is a rank's."""
    most = len(os.sched_getaffinity(0))
    script = (
        f"import subprocess, sys; {NARROW.format(count=most)}"
        f"subprocess.run([sys.executable, '-c', {PRINT!r}], check=True)"
    )
    assert threads(script, **under("hydra", 2)) == max(1, threads() // 2)


def test_a_mask_that_all_ranks_share_is_divided(threads):
    """As of `taskset -c 0,1 mpiexec -n 2`: the launcher has the same mask."""
    launcher = (
        f"import subprocess, sys; {NARROW.format(count=2)}"
        f"rank = {{**os.environ, **{under('open_mpi', 2)!r}}};"
        f"subprocess.run([sys.executable, '-c', {PRINT!r}], check=True, env=rank)"
    )
    assert threads(launcher) == 1


def test_parts_of_ranks_that_share_a_mask_have_different_processors(run_python):
    if len(os.sched_getaffinity(0)) < 4:
        pytest.skip("needs four processors")
    code = """
        import quern
        parts = quern.device("host").split(equally=2)
        print(*(part.info()["processors"] for part in parts))
    """
    found = [
        set(
            run_python(
                code, env={**NONE, "MPI_LOCALNRANKS": "2", "MPI_LOCALRANKID": str(rank)}
            ).stdout.split()
        )
        for rank in range(2)
    ]
    assert not found[0] & found[1]
