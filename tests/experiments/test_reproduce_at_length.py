"""Whole sweeps: spread over two nodes of Ray, and of every artifact."""

from __future__ import annotations

import os
import pathlib
import socket
import sys
import time

import pandas as pd
import pytest

from experiments.papers import catalogue

pytestmark = pytest.mark.long

_FLAGS = ("--artifact=fedfa/table3", "--scale=smoke", "--fresh")
_FOLDER = pathlib.Path("fedfa", "table3", "smoke")
_DATA_DIR_VARIABLE = "TFF_WEIGHTS_DATA_DIR"


def _tables(output_dir):
    names = ("cells.csv", "verdicts.csv", "rounds.csv")
    return {name: (output_dir / _FOLDER / name).read_bytes() for name in names}


def test_two_nodes_of_ray_give_the_tables_of_one_process(run, start_command, tmp_path, monkeypatch):
    here = tmp_path / "here"
    assert run("reproduce", *_FLAGS, "--workers=1", f"--output_dir={here}").status == 0
    for variable in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
        monkeypatch.setenv(variable, "0")
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(__file__).resolve().parents[2]))
    ray = os.path.join(os.path.dirname(sys.executable), "ray")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    node = ("--node-ip-address=127.0.0.1", "--num-cpus=1", "--block")
    # Sockets have short names only, shorter than those of pytest's folders.
    own = f"/tmp/tff-weights-test-{os.getpid()}"
    nodes = [
        start_command(
            *(ray, "start", "--head", f"--port={port}", "--include-dashboard=false"),
            *(f"--temp-dir={own}", *node),
        )
    ]
    # A node that starts while another one does takes the names of its sockets.
    _wait_for(port, pathlib.Path(own, "session_latest", "sockets", "raylet"))
    nodes.append(start_command(ray, "start", f"--address=127.0.0.1:{port}", *node))
    time.sleep(20)  # Until it has joined; the sweep goes on without it otherwise.
    assert all(node.running for node in nodes)
    output_dir = tmp_path / "spread"
    address = f"--ray_address=127.0.0.1:{port}"
    ended = run("reproduce", *_FLAGS, address, f"--output_dir={output_dir}")
    assert ended.status == 0, ended.output
    assert _tables(output_dir) == _tables(here)


def _wait_for(port, file):
    """Until the port answers and the file is there."""
    deadline = time.monotonic() + 120
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            if file.exists():
                return
        except OSError:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_every_artifact_at_the_smallest_scale(start, tmp_path):
    """All of them where the raw data are; else those on data sets that are generated."""
    is_all = _DATA_DIR_VARIABLE in os.environ
    artifacts = [
        artifact
        for artifact in catalogue.artifacts().values()
        if is_all or all(name.startswith("synthetic") for name in artifact.datasets_at("smoke"))
    ]
    names = "all" if is_all else ",".join(artifact.name for artifact in artifacts)
    program = start("reproduce", f"--artifact={names}", "--scale=smoke", f"--output_dir={tmp_path}")
    ended = program.finish(timeout_seconds=3600)
    assert ended.status == 0, ended.output
    assert len(ended.output.splitlines()) == len(artifacts)
    for artifact, line in zip(artifacts, ended.output.splitlines()):
        assert line.startswith(f"{artifact.name}: ")
        folder = tmp_path / artifact.name / "smoke"
        assert not pd.read_csv(folder / "cells.csv").empty
        assert (folder / "figure.png").stat().st_size > 0
