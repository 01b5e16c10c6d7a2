"""Compares the step `drainage` with richdem, pyflwdir and Whitebox. Started by scripts/reference/drainage."""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyflwdir
import richdem
from whitebox_workflows import WbEnvironment

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


def run(*arguments):
    subprocess.run([UPLAND, *arguments], check=True, capture_output=True)


def upland(land, step, layer):
    """The layer that a step writes on a land, in its own units."""
    recipe, to = FOLDER / "recipe.ron", FOLDER / f"{layer}.asc"
    rows, columns = read(land).shape
    recipe.write_text(
        f'(version: 1, name: "Reference", size: ({columns}, {rows}), cell: 10, '
        f'steps: [import(file: "{land.resolve()}"), {step}], sun: (bearing: 315))'
    )
    run("generate", recipe, "--layer", layer, "-o", to)
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


# Of Whitebox's pointers.
BEARINGS = {1: 45, 2: 90, 4: 135, 8: 180, 16: 225, 32: 270, 64: 315, 128: 360, 0: 0}


def falls(heights):
    """The slopes to all eight neighbours of the samples off the border, steepest last."""
    rows, columns = heights.shape
    around = [(south, east) for south in (-1, 0, 1) for east in (-1, 0, 1) if south or east]
    middle = heights[1:-1, 1:-1].astype(float)
    slopes = [
        (middle - heights[1 + south : rows - 1 + south, 1 + east : columns - 1 + east]) / np.hypot(south, east)
        for south, east in around
    ]
    return np.sort(slopes, axis=0)


def compare_directions(seed):
    """On eroded land, which has no hollows. richdem's D8 is no reference for directions: in this version it takes
    the lowest neighbour, whether it is near or diagonally across."""
    recipe, path, pointers = FOLDER / "land.ron", FOLDER / "eroded.asc", FOLDER / "pointers.asc"
    recipe.write_text(
        f'(version: 1, name: "Reference", size: (513, 513), cell: 10, seed: {seed}, '
        "steps: [fbm(height: 900, octaves: 9), erode(base_level: -12000, outlets: slopes)], sun: (bearing: 315))"
    )
    run("generate", recipe, "-o", path)
    ours = upland(path, "drainage(smallest_lake: 0, sea: -12000)", "flow_direction")
    whitebox = WbEnvironment()
    land = whitebox.read_raster(str(path))
    whitebox.write_raster(whitebox.hydrology.flow_routing.d8_pointer(dem=land), str(pointers))
    theirs = np.vectorize(BEARINGS.get)(np.loadtxt(pointers, skiprows=6, dtype=int))
    slopes = falls(read(path))
    is_clear = (slopes[-1] > 1.001 * slopes[-2]) & (slopes[-1] > 1e-3)
    same = ours[1:-1, 1:-1] == theirs[1:-1, 1:-1]
    print(
        f"eroded land {seed}: directions as Whitebox's at {same.mean():.3%} of the samples, "
        f"at {same[is_clear].mean():.4%} of those with one steepest neighbour ({is_clear.mean():.1%})"
    )


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
    run("generate", recipe, "-o", FOLDER / "land.r32")
    heights = np.fromfile(FOLDER / "land.r32", dtype="<f4").reshape(4097, 4097)
    for _ in range(3):
        fill = timed(lambda: richdem.FillDepressions(as_richdem(heights), epsilon=False, in_place=False))
        filled = richdem.FillDepressions(as_richdem(heights), epsilon=False, in_place=False)
        flow = timed(lambda: richdem.FlowAccumulation(filled, method="D8"))
        print(f"richdem: filling {fill:.2f} s, areas {flow:.2f} s; see the bench `drainage 4097²` for this program")
else:
    compare("jacksboro", SAMPLE)
    for seed in range(20):
        noise = np.random.default_rng(seed).random((513, 513), dtype=np.float32)
        compare(f"noise {seed}", write(noise, f"noise{seed}"))
    for seed in range(5):
        compare_directions(seed)
