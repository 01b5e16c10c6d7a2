"""Compares the step `drainage` with richdem and pyflwdir. Started by scripts/reference/drainage."""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyflwdir
import richdem

UPLAND, WHAT = sys.argv[1:]
SAMPLE = pathlib.Path("core/assets/elevation/jacksboro_fault.asc")
FOLDER = pathlib.Path(tempfile.mkdtemp())


def write(heights, name):
    """An ESRI ASCII grid; nine digits are enough for every 32-bit float."""
    path = FOLDER / f"{name}.asc"
    rows, columns = heights.shape
    header = f"ncols {columns}\nnrows {rows}\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999"
    np.savetxt(path, heights, fmt="%.9g", header=header, comments="")
    return path


def read(path):
    return np.loadtxt(path, skiprows=6, dtype=np.float32)


def upland(land, step, layer):
    """The layer that a step writes on a land, in its own units."""
    recipe, to = FOLDER / "recipe.ron", FOLDER / f"{layer}.asc"
    rows, columns = read(land).shape
    recipe.write_text(
        f'(version: 1, name: "Reference", size: ({columns}, {rows}), cell: 10, '
        f'steps: [import(file: "{land.resolve()}"), {step}], sun: (bearing: 315))'
    )
    subprocess.run([UPLAND, "generate", recipe, "--layer", layer, "-o", to, "--force"], check=True, capture_output=True)
    return read(to)


def as_richdem(heights):
    return richdem.rdarray(heights.astype(np.float32), no_data=-9999)


def compare(name, land):
    heights = read(land)
    ours = upland(land, "drainage(hollows: fill, sea: -12000)", "lake_level")
    theirs = np.array(richdem.FillDepressions(as_richdem(heights), epsilon=False, in_place=False))
    others, _ = pyflwdir.dem.fill_depressions(heights, outlets="edge")
    raised = ours > heights
    print(
        f"{name}: {raised.sum()} samples raised, at most by {(ours - heights).max():.9g} m; "
        f"as richdem: {np.array_equal(ours, theirs)}, as pyflwdir: {np.array_equal(ours, others)}"
    )
    # Without hollows and level ground, so that there is one steepest way.
    sloping = np.array(richdem.FillDepressions(as_richdem(heights), epsilon=True, in_place=False))
    path = write(sloping, "sloping")
    areas = upland(path, "drainage(smallest_lake: 0, sea: -12000)", "flow") / 1e-4
    expected = np.array(richdem.FlowAccumulation(as_richdem(sloping), method="D8"))
    inner = (slice(1, -1), slice(1, -1))
    same = np.isclose(areas[inner], expected[inner], rtol=1e-5)
    print(f"  drainage areas as richdem's: {same.mean():.4%} of the samples off the border")


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if WHAT == "time":
    recipe = FOLDER / "land.ron"
    recipe.write_text(
        '(version: 1, name: "Reference", size: (4097, 4097), cell: 10, '
        "steps: [fbm(height: 900, octaves: 12)], sun: (bearing: 315))"
    )
    land, out = FOLDER / "land.tif", FOLDER / "out.tif"
    subprocess.run([UPLAND, "generate", recipe, "-o", FOLDER / "land.r32"], check=True, capture_output=True)
    heights = np.fromfile(FOLDER / "land.r32", dtype="<f4").reshape(4097, 4097)
    for _ in range(3):
        fill = timed(lambda: richdem.FillDepressions(as_richdem(heights), epsilon=False, in_place=False))
        filled = richdem.FillDepressions(as_richdem(heights), epsilon=False, in_place=False)
        flow = timed(lambda: richdem.FlowAccumulation(filled, method="D8"))
        print(f"richdem: filling {fill:.2f} s, areas {flow:.2f} s")
else:
    compare("jacksboro", SAMPLE)
    for seed in range(20):
        noise = np.random.default_rng(seed).random((513, 513), dtype=np.float32)
        compare(f"noise {seed}", write(noise, f"noise{seed}"))
