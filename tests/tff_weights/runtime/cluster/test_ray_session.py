from __future__ import annotations

import contextlib
import socket

import psutil
import pytest

from tff_weights.runtime.cluster.ray_session import check_ray_address


def test_an_address_must_answer():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ValueError, match=f"ray_address: nothing answers at '{address}'"):
            check_ray_address(address)
        server.listen()
        check_ray_address(address)
        check_ray_address(f"ray://{address}")
    check_ray_address("auto")
    with pytest.raises(ValueError, match="ray_address"):
        check_ray_address("head:port")


def test_a_cluster_of_its_own_listens_on_the_loopback_alone(ray_session):
    """Whoever reaches one of its ports runs what he likes as this user: nobody from elsewhere."""
    del ray_session
    listening = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # Ray starts some that end at once.
            listening += [
                connection.laddr
                for connection in process.net_connections("inet")
                if connection.status == psutil.CONN_LISTEN
            ]
    assert listening
    assert {address.ip for address in listening} <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
