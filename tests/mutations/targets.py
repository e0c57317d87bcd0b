"""Which modules are changed, and which tests must notice it."""

from __future__ import annotations

import pathlib

_TESTS = "tests/tff_weights"
# What every computation passes through is judged by all that runs computations of every kind.
_COMPUTATIONS = (
    *("values", "sequences", "graphs", "sessions", "intrinsics", "interpreter", "program_context"),
    "agreement_with_tffs_worker",
)
_CLUSTER = f"{_TESTS}/runtime/cluster/test_cluster_context.py"


def _of_program(*names: str) -> tuple[str, ...]:
    return tuple(f"{_TESTS}/runtime/program/test_{name}.py" for name in dict.fromkeys(names))


_TESTS_OF = {
    **{
        f"weightings/{name}": ("weightings/test_every_weighting.py", "test_bad_arguments.py")
        for name in ("fed_eba", "fed_fv", "fed_mgda", "plain", "q_fair", "term")
    },
    **{
        f"weightings/{name}": (
            *("weightings/test_every_weighting.py", f"weightings/test_{name}_weighting.py"),
            "test_bad_arguments.py",
        )
        for name in ("fed_adp", "fed_cav", "fed_disco", "fed_nova", "wei_avg")
    },
    **{
        f"weightings/{name}": (f"weightings/test_{name}_weighting.py", "test_bad_arguments.py")
        for name in ("afl", "fed_fa")
    },
    **{
        f"weightings/{name}": ("weightings/test_aagg_ff_weightings.py", "test_bad_arguments.py")
        for name in ("aagg_ff_s", "aagg_ff_d", "responses")
    },
    "weightings/simplex": ("weightings/test_simplex.py",),
    "cohort/gram_matrix": ("cohort/test_gram_matrix.py",),
    "cohort/gathered_rows": ("cohort/test_gathered_rows.py",),
    "weightings/acceptance": ("weightings/test_acceptance.py", "test_bad_arguments.py"),
    "weightings/weighting": (
        *("weightings/test_weighting.py", "aggregators/test_weighting_factory.py"),
        "weightings/test_fed_cav_weighting.py",
    ),
    "cohort/cohort_table": (
        *("cohort/test_cohort_table.py", "aggregators/test_weighting_factory.py"),
        "aggregators/test_guards.py",
    ),
    "cohort/inner_sum": (
        *("cohort/test_inner_sum.py", "aggregators/test_weighting_factory_composition.py"),
    ),
    "aggregators/share_mean": ("aggregators/test_share_mean.py",),
    "aggregators/trimmed_sum": ("aggregators/test_trimmed_sum.py", "test_bad_arguments.py"),
    "cohort/update_geometry": (
        *("cohort/test_update_geometry.py", "aggregators/test_mean_update.py"),
    ),
    **{
        f"aggregators/{name}": (
            *("aggregators/test_weighting_factory.py", "aggregators/test_mean_update.py"),
            *("aggregators/test_weighting_factory_composition.py", "aggregators/test_guards.py"),
        )
        for name in ("weighting_factory", "client_offer")
    },
    "finalizers/judged": ("finalizers/test_judged.py",),
    "finalizers/server_momentum": (
        *("finalizers/test_server_momentum.py", "test_bad_arguments.py"),
    ),
}

# The tests' files by module, both relative to the repository.
TARGETS: dict[str, tuple[str, ...]] = {
    **{
        f"tff_weights/{module}.py": tuple(f"{_TESTS}/{test}" for test in tests)
        for module, tests in _TESTS_OF.items()
    },
    # A module's own tests come first, since the others take longer.
    **{
        f"tff_weights/runtime/program/{module}.py": tests
        for module, tests in {
            "async_context": _of_program("async_context"),
            "cohort": _of_program("intrinsics", "program_context", *_COMPUTATIONS),
            "context": _of_program("program_context", *_COMPUTATIONS, "program_ways_of_ending"),
            "devices": _of_program("devices"),
            "errors": _of_program("program_context"),
            "definition": _of_program("graphs", "sessions", *_COMPUTATIONS),
            "functions": _of_program("graphs", *_COMPUTATIONS),
            "graphs": _of_program("graphs", *_COMPUTATIONS),
            "ingestion": _of_program("async_context"),
            "interpreter": (*_of_program("interpreter", "intrinsics", *_COMPUTATIONS), _CLUSTER),
            "interruption": _of_program(
                "interruption", "program_context", "program_ways_of_ending"
            ),
            "intrinsics": _of_program("intrinsics", *_COMPUTATIONS),
            "options": (f"{_TESTS}/runtime/test_choice.py",),
            "origin": (_CLUSTER,),
            "reductions": _of_program("reductions", *_COMPUTATIONS),
            "sequences": _of_program("sequences", "values", *_COMPUTATIONS),
            "sessions": _of_program("sessions", *_COMPUTATIONS),
            "values": _of_program("values", *_COMPUTATIONS),
        }.items()
    },
}


def forgotten(repository: pathlib.Path) -> list[str]:
    """Returns the modules of the same folders that are changed by nobody."""
    folders = {pathlib.Path(module).parent for module in TARGETS}
    modules = {
        str(path.relative_to(repository))
        for folder in folders
        for path in (repository / folder).glob("*.py")
        if path.name != "__init__.py"
    }
    return sorted(modules - set(TARGETS))
