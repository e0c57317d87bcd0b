"""Tests of `leaf_data.sources.fetching`."""

from __future__ import annotations

import http.server
import pathlib
import socket
import threading

import pytest

from leaf_data.errors import DataError
from leaf_data.sources import fetching

_FILE = pathlib.Path("/data/digits.npz")


def _require(address: str) -> None:
    fetching.require_network("digits", looked_for=[_FILE], address=address)


def test_the_sentence_names_all_that_helps():
    error = fetching.missing_data(
        "digits", looked_for=[_FILE, _FILE], address="https://a.b/c", reason="no answer"
    )
    assert str(error) == (
        "data set 'digits': there is no /data/digits.npz or /data/digits.npz, and https://a.b/c"
        " cannot be had (no answer); put the file there, or name the folder that holds it with"
        " --data_dir."
    )


def test_any_answer_is_a_network():
    """Here 501: the server knows no HEAD."""
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    server.RequestHandlerClass.log_message = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        _require(f"http://127.0.0.1:{server.server_port}/x")
    finally:
        server.shutdown()
        server.server_close()


def test_a_closed_port_is_none():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(DataError, match="data set 'digits'.*no connection: .*refused"):
        _require(f"http://127.0.0.1:{port}/x")


def test_silence_ends_in_time(monkeypatch):
    """A server that accepts and never answers, as a look-up of a name that hangs."""
    monkeypatch.setattr(fetching, "_PROBE_TIMEOUT_SECONDS", 0.3)
    message = "no answer within 0.3 seconds|no connection"
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(DataError, match=message):
        _require(f"http://127.0.0.1:{silent.getsockname()[1]}/x")


def test_a_directory_is_whole(tmp_path):
    with fetching.whole_directory(tmp_path / "below" / "cache") as folder:
        (folder / "a").write_text("1")
        assert not (tmp_path / "below" / "cache").exists()
    assert [path.name for path in (tmp_path / "below").iterdir()] == ["cache"]
    assert (tmp_path / "below" / "cache" / "a").read_text() == "1"


def test_or_not_there_at_all(tmp_path):
    with pytest.raises(KeyboardInterrupt), fetching.whole_directory(tmp_path / "cache") as folder:
        (folder / "a").write_text("1")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_the_faster_process_wins(tmp_path):
    with fetching.whole_directory(tmp_path / "cache") as slow:
        (slow / "a").write_text("slow")
        with fetching.whole_directory(tmp_path / "cache") as fast:
            (fast / "a").write_text("fast")
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
    assert (tmp_path / "cache" / "a").read_text() == "fast"
