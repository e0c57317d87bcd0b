"""The changes that no test notices, and why none can: by module and changed line, the reason."""

from __future__ import annotations

_NO_COUNT = "only where the system does not tell how many processors it has"
_OWN = "it is the runtime's own, and nobody assigns to it"
_BY_MODULE = {
    "tff_weights/weightings/fed_adp.py": {
        "contribution = alpha * (2.0 - tf.exp(-tf.exp(-alpha * (angle - 1.0))))": (
            "what is added to all contributions cancels in the softmax"
        )
    },
    "tff_weights/weightings/fed_fa.py": {
        "return tf.math.divide(values, tf.reduce_sum(values))": (
            "where all values are 0 each share is not a number instead of 0, and `_information` "
            "takes both for epsilon"
        ),
        **dict.fromkeys(
            (
                "return -tf.math.log(positive) * math.log(2.0)",
                "return -tf.math.log(positive) / math.exp(2.0)",
                "return -tf.math.log(positive) / math.log(3.0)",
            ),
            "the base of the logarithm cancels where the information is normalised",
        ),
    },
    "tff_weights/weightings/fed_nova.py": dict.fromkeys(
        (
            "return (steps - momentum * (1.0 - momentum ** steps) / (1.0 - momentum)) * "
            "(1.0 - momentum)",
            "return (steps - momentum * (1.0 - momentum ** steps) / (1.0 - momentum)) / "
            "(1.0 + momentum)",
            "return (steps - momentum * (1.0 - momentum ** steps) / (1.0 - momentum)) / "
            "(2.0 - momentum)",
        ),
        "a factor of all norms cancels: a weight is a share times the mean norm over its own",
    ),
    "tff_weights/weightings/wei_avg.py": {
        "positive = tf.math.divide(diversity - least, scale) + shift": (
            "where all are equal the scores are ones, whatever this is"
        )
    },
    "tff_weights/weightings/weighting.py": {
        "return tf.where(total > 0, tf.math.divide(values, total), equal_shares(values))": (
            "where the total is 0 the shares are equal ones, whatever this is"
        )
    },
    "tff_weights/finalizers/judged.py": {
        "zeros = tf.nest.map_structure(lambda spec: np.ones(spec.shape, "
        "spec.dtype.as_numpy_dtype), tff.types.type_to_tf_tensor_specs(trainable_type))": (
            "it stands for the model before the first, which `has_previous` keeps from being read"
        )
    },
    "tff_weights/finalizers/server_momentum.py": {
        "round_number = state['round_number'] - 1": (
            "counted down from 0, the same rounds are multiples of `every_rounds`"
        ),
    },
    "tff_weights/cohort/cohort_table.py": {
        "return collections.OrderedDict(((dtype, tf.compat.v1.placeholder_with_default(np.ones([0, "
        "len(names)], dtype), [None, len(names)])) for dtype, names in columns.items()))": (
            "it has no rows"
        )
    },
    "tff_weights/cohort/gathered_rows.py": {
        "return tf.nest.map_structure(lambda spec: tf.boolean_mask(tf.ones([1, *spec.shape], "
        "spec.dtype), [False]), specs)": "none of its rows is kept"
    },
    "tff_weights/cohort/update_geometry.py": {
        "cosine = tf.clip_by_value(tf.math.divide(_dot(update, mean_update), norms), -1.0, 1.0)": (
            "where the norms are 0 the angle is a right one, whatever this is"
        ),
        "return tf.where(norms >= 0, tf.acos(cosine), math.pi / 2)": (
            "where the norms are 0 so is the cosine, whose angle is a right one"
        ),
    },
    "tff_weights/aggregators/client_offer.py": {
        "weight_in_mean = tf.cast(report[weighting.mean_weight], tf.float32) if "
        "weighting.mean_weight else 2.0": "a weight that all have cancels in the mean",
        "return collections.OrderedDict(value=tf.nest.map_structure(lambda x: "
        "tf.where(takes_part, x, tf.ones_like(x)), value), report=report, reason=reason, "
        "weight_in_mean=tf.where(takes_part, weight_in_mean, 0.0))": (
            "whoever is left out is multiplied by 0; what counts is that the number is finite"
        ),
    },
    "tff_weights/runtime/program/cohort.py": {
        **dict.fromkeys(
            (
                "if len(arguments) < 2 and self.number < 2:",
                "if len(arguments) <= 2 or self.number < 2:",
                "if len(arguments) < 3 or self.number < 2:",
                "return Clients(self._pool.map(function, arguments, chunksize=2))",
            ),
            "on which threads clients compute changes no result",
        ),
    },
    "tff_weights/runtime/program/context.py": {
        "weakref.finalize(comp, _forget, self._computations, key).atexit = True": (
            "at the program's end it would only take an entry out of a dictionary"
        )
    },
    "tff_weights/runtime/program/functions.py": {
        "_NO_REWRITING.graph_options.rewrite_options.disable_meta_optimizer = False": (
            "no graph of the tests is rewritten in another order; it keeps all from being so"
        ),
        **dict.fromkeys(
            (
                "_MOST_COPIES = 17",
                "_MOST_BYTES_OF_COPIES = 2 ** 21",
                "most_by_size = _MOST_BYTES_OF_COPIES // (definition.graph_def.ByteSize() - 1)",
                "most_by_size = _MOST_BYTES_OF_COPIES // (definition.graph_def.ByteSize() + 2)",
            ),
            "it bounds how many calls are put into one, which is a power of two, and no result",
        ),
        "_CALLS_BEFORE_COPIES = 33": "which calls are put into one changes no result",
        "_PATIENCE_SECONDS = 2.0": "a second more of waiting in a first call",
        "made.signature.is_stateful = False": "TensorFlow asks the operations themselves",
    },
    "tff_weights/runtime/program/graphs.py": {
        "_ALONE = Origin(1)": "nobody looks for a graph that is read by itself"
    },
    "tff_weights/runtime/program/interpreter.py": {
        "@dataclasses.dataclass(frozen=False)": _OWN,
        "reads_sequences: bool = True": "on which threads clients compute changes no result",
        "without environment.pop(other, None)": "memory: a value lives until the block ends",
        "key = block.proto.SerializeToString(deterministic=False)": (
            "equal graphs that are serialised in two orders would be imported twice, no more"
        ),
    },
    "tff_weights/runtime/program/interruption.py": dict.fromkeys(
        (
            "_INTERVAL_SECONDS = 1.1",
            "_PATIENCE_SECONDS = 3.0",
            "if not call.wait(max(1.0, deadline - time.monotonic())):",
        ),
        "a second more of waiting; no test depends on the machine's speed",
    ),
    "tff_weights/runtime/program/options.py": {
        "client_threads: int = 2 * (os.cpu_count() or 2)": _NO_COUNT
    },
    "tff_weights/runtime/program/origin.py": {"@dataclasses.dataclass(frozen=False)": _OWN},
    "tff_weights/runtime/program/sequences.py": {
        "@dataclasses.dataclass(frozen=False)": _OWN,
        **dict.fromkeys(
            (
                f"return tuple(({rows} for dtype, shape in zip(self.dtypes, self.shapes)))"
                for rows in (
                    "np.ones([0] + [size or 0 for size in shape], dtype.as_numpy_dtype)",
                    "np.zeros([0] + [size or 1 for size in shape], dtype.as_numpy_dtype)",
                )
            ),
            "it has no rows, and where a size is not known any will do",
        ),
    },
    "tff_weights/runtime/program/values.py": {
        "@dataclasses.dataclass(frozen=False)": _OWN,
        "if _known_types.get(value) is type_spec:": (
            "the type is compared once more, which takes longer and finds the same"
        ),
    },
}

EXPLAINED: dict[tuple[str, str], str] = {
    (module, text): reason
    for module, reasons in _BY_MODULE.items()
    for text, reason in reasons.items()
}
