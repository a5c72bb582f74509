"""The colours of the charts stay apart for everybody, in light and in dark."""

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from anypair.dtypes import Array

STYLE = files("anypair.report").joinpath("style.css").read_text("utf-8")
LIGHT, DARK = (dict(re.findall(r"--(\w+): (#\w{6})", block)) for block in STYLE.split("@media", 2)[:2])
SERIES = [f"s{k}" for k in range(6)]

#: Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision
#: Deficiency, 2009: severity 1, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def linear(colour: str) -> Array:
    parts = np.array(list(bytes.fromhex(colour[1:]))) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light: Array) -> Array:
    xyz = TO_XYZ @ np.clip(light, 0, 1) / WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def nearest(colours: list[str], vision: str) -> float:
    """The distance in Lab of the two that are hardest to tell apart."""
    seen = [lab(np.array(VISION[vision]) @ linear(colour)) for colour in colours]
    return min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISION)
def test_colours_stay_apart(scheme: dict[str, str], vision: str) -> None:
    assert nearest([scheme[name] for name in SERIES], vision) > 20


def test_red_and_green_are_noticed() -> None:
    pair = ["#d55e00", "#8a6a00"]  # orange and brown, alike to those who see no red
    assert nearest(pair, "normal") > 20 > nearest(pair, "protanopia")
