from __future__ import annotations

import socket

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
