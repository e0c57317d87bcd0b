"""How models scale the bytes of a data set's images.

The images themselves stay bytes, a quarter of the memory, until they are inside the graph.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from leaf_data.checks import check_number, check_one_of

# FedProx's constant, which avoids a division by 0 for constant pixels.
_SMALLEST_DEVIATION = 0.001

CONVENTIONS = ("normalized", "standardized", "unit")


@dataclasses.dataclass(frozen=True, eq=False)
class PixelScaling:
    """`(x - mean) / deviation` of pixels `x` in 0..255.

    Attributes:
        mean: [height, width] or [height, width, channels], or a scalar for all pixels; float32.
        deviation: Likewise; above 0.
    """

    mean: npt.NDArray[Any]
    deviation: npt.NDArray[Any]

    def __post_init__(self) -> None:
        """Makes float32 of both.

        Raises:
            ValueError: If they are no numbers, their shapes differ, a number is not finite, or a
                deviation is not above 0.
        """
        for field in dataclasses.fields(self):
            given = getattr(self, field.name)
            value = np.asarray(given)
            if value.dtype.kind not in "iuf":
                raise ValueError(f"{field.name} is {given!r}; it must be numbers.")
            object.__setattr__(self, field.name, value.astype(np.float32))
        if self.mean.shape != self.deviation.shape:
            raise ValueError(
                f"mean has the shape {self.mean.shape}, deviation {self.deviation.shape}; they must"
                " have the same."
            )
        if not np.all(np.isfinite(self.mean)):
            raise ValueError(f"mean is {self.mean}; it must be finite.")
        if not (np.all(np.isfinite(self.deviation)) and np.all(self.deviation > 0.0)):
            raise ValueError(f"deviation is {self.deviation}; it must be finite and above 0.")

    def __eq__(self, other: object) -> bool:
        """Whether all numbers are the same."""
        return isinstance(other, PixelScaling) and (
            np.array_equal(self.mean, other.mean)
            and np.array_equal(self.deviation, other.deviation)
        )

    def __hash__(self) -> int:
        """Of all numbers."""
        return hash((self.mean.tobytes(), self.deviation.tobytes()))

    def __call__(self, x: Any) -> Any:
        """Scales pixels.

        Args:
            x: [..., height, width] or [..., height, width, channels] float32, in 0..255; an array
                or a tensor.

        Returns:
            The same shape, float32.
        """
        if self.mean.any():
            x = x - self.mean
        return x / self.deviation


# Black is 0 and white 1.
UNIT = PixelScaling(np.zeros(()), np.full((), 255.0))
# For images that are not bytes but numbers.
AS_THEY_ARE = PixelScaling(np.zeros(()), np.ones(()))


def one_for_all(*, mean: float, deviation: float) -> PixelScaling:
    """The scaling of all pixels by one mean and one deviation.

    Args:
        mean: Of pixels / 255.
        deviation: Likewise.

    Raises:
        ValueError: If one is not a finite number, or the deviation is not above 0.
    """
    check_number("mean", mean, lambda x: True, "a finite number")
    check_number("deviation", deviation, lambda x: x > 0.0, "finite and above 0")
    return PixelScaling(np.asarray(255.0 * mean), np.asarray(255.0 * deviation))


def standardized(images: npt.NDArray[np.uint8]) -> PixelScaling:
    """The scaling of each pixel by its own mean and deviation over all images.

    `(x - mean) / (deviation + 0.001)`, as in FedProx's preparation of MNIST, which made FedFa's
    data (`data/mnist/generate_niid.py` in https://github.com/litian96/FedProx). The deviation is
    the population's, and both are of pixels from 0 to 255.

    Args:
        images: [num_images, height, width] or [num_images, height, width, channels] uint8, at least
            one.
    """
    # One row of pixels at a time: 64-bit deviations of all pixels at once would take eight times
    # the images' memory.
    mean = np.stack([images[:, row].mean(axis=0) for row in range(images.shape[1])])
    deviation = np.stack([images[:, row].std(axis=0) for row in range(images.shape[1])])
    return PixelScaling(mean, deviation + _SMALLEST_DEVIATION)


def normalized(images: npt.NDArray[np.uint8]) -> PixelScaling:
    """The scaling of all pixels by the one mean and deviation of them all.

    For MNIST these are 0.1307 and 0.3081 of pixels / 255, as in PyTorch's example; the deviation is
    the population's.

    Args:
        images: [num_images, height, width] or [num_images, height, width, channels] uint8, not all
            pixels alike.
    """
    mean, deviation = images.mean(), images.std()  # In 64 bits, without a copy of the images.
    return PixelScaling(np.asarray(mean), np.asarray(deviation))


def pixel_scaling(convention: str, images: npt.NDArray[np.uint8]) -> PixelScaling:
    """The scaling of a data set's images by the name that its option `pixels` takes.

    Args:
        convention: "normalized", see `normalized`; "standardized", see `standardized`; or "unit",
            pixels / 255.
        images: All of the data set's images, [num_images, height, width] or [num_images, height,
            width, channels] uint8.

    Raises:
        ValueError: If the convention is unknown.
    """
    check_one_of("pixels", convention, CONVENTIONS)
    if convention == "unit":
        return UNIT
    if convention == "normalized":
        return normalized(images)
    return standardized(images)
