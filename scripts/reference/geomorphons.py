"""Counts the geomorphons of the sample land with Whitebox Workflows. Started by scripts/reference/geomorphons; the
numbers that it prints are in core/tests/laws/using/likeness.rs."""

import pathlib
import tempfile

import numpy as np
from whitebox_workflows import WbEnvironment

SAMPLE = pathlib.Path("core/assets/elevation/jacksboro_fault.asc")
FOLDER = pathlib.Path(tempfile.mkdtemp())
SEARCH, CELL = 30, 83
NAMES = "flat peak ridge shoulder spur slope hollow footslope valley pit".split()

# In the file the cell is in degrees, which Whitebox would take for metres.
heights = np.loadtxt(SAMPLE, skiprows=6, dtype=np.float32)
rows, columns = heights.shape
land, forms = FOLDER / "land.asc", FOLDER / "forms.asc"
header = f"ncols {columns}\nnrows {rows}\nxllcorner 0\nyllcorner 0\ncellsize {CELL}\nNODATA_value -9999"
np.savetxt(land, heights, fmt="%g", header=header, comments="")
whitebox = WbEnvironment()
found = whitebox.geomorphons(
    input=whitebox.read_raster(str(land)), search_distance=SEARCH, flatness_threshold=1.0
)
whitebox.write_raster(found, str(forms))
found = np.loadtxt(forms, skiprows=6).astype(int)
# A line of sight that reaches the border counts as level there, so forms near the border are not comparable.
inside = found[SEARCH:-SEARCH, SEARCH:-SEARCH]
print("all:", {name: f"{(found[found > 0] == form + 1).mean():.2%}" for form, name in enumerate(NAMES)})
print("off the border:", [int((inside == form + 1).sum()) for form in range(10)])
