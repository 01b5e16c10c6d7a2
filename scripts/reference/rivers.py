"""χ and lengths of rivers on a land that a formula gives, by numpy and by Landlab. Started by
scripts/reference/rivers; the numbers that it prints are in core/src/drainage/rivers.rs."""

import numpy as np
from landlab import RasterModelGrid
from landlab.components import ChiFinder, FlowAccumulator

SIDE, CELL, CONCAVITY, REFERENCE = 61, 20.0, 0.45, 1e6
WAYS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def land():
    """A dome with valleys, in whole steps of 1/64 m, which 32 bits hold exactly."""
    row, column = np.mgrid[0:SIDE, 0:SIDE].astype(float)
    x, z = column - 30, row - 30
    height = 900 - 8 * np.hypot(x, z) + 5 * np.sin(0.7 * x) * np.cos(0.5 * z) + 0.3 * x - 0.5 * z
    return np.round(height * 64) / 64


def receivers(height):
    """The steepest of the eight neighbours; beyond the border the land goes on with its slope."""
    to = np.full(SIDE * SIDE, -1)
    for row in range(SIDE):
        for column in range(SIDE):
            best, there = 0.0, -1
            for south, east in WAYS:
                distance = np.hypot(south, east)
                inside = 0 <= row + south < SIDE and 0 <= column + east < SIDE
                behind = 0 <= row - south < SIDE and 0 <= column - east < SIDE
                if inside:
                    slope = (height[row, column] - height[row + south, column + east]) / distance
                    other = (row + south) * SIDE + column + east
                elif behind:
                    slope = (height[row - south, column - east] - height[row, column]) / distance
                    other = -1
                else:
                    continue
                if slope > best or (other < 0 and slope > 0 and slope == best):
                    best, there = slope, other
            to[row * SIDE + column] = there
            border = row in (0, SIDE - 1) or column in (0, SIDE - 1)
            assert best > 0 or border, "a pit"
    return to


height = land()
to = receivers(height)
flat = height.ravel()
order = np.argsort(-flat, kind="stable")
area = np.ones(SIDE * SIDE)
length = np.zeros(SIDE * SIDE)


def step(here, there):
    return CELL * np.hypot(here // SIDE - there // SIDE, here % SIDE - there % SIDE)


for here in order:
    if to[here] >= 0:
        area[to[here]] += area[here]
        length[to[here]] = max(length[to[here]], length[here] + step(here, to[here]))
integrand = (REFERENCE / (area * CELL * CELL)) ** CONCAVITY
chi = np.zeros(SIDE * SIDE)
for here in order[::-1]:
    if to[here] >= 0:
        chi[here] = chi[to[here]] + (integrand[here] + integrand[to[here]]) / 2 * step(here, to[here])

# Landlab on the same receivers: its nodes are numbered from the south, and border nodes have no cell.
flip = lambda values: values.reshape(SIDE, SIDE)[::-1].ravel()
grid = RasterModelGrid((SIDE, SIDE), xy_spacing=CELL)
grid.add_field("topographic__elevation", flip(flat), at="node")
FlowAccumulator(grid, flow_director="FlowDirectorD8").run_one_step()
own = np.arange(SIDE * SIDE)
ours = np.where(to >= 0, to, own)
ours = (SIDE - 1 - flip(ours) // SIDE) * SIDE + flip(ours) % SIDE
core = grid.core_nodes
same = grid.at_node["flow__receiver_node"][core] == ours[core]
print(f"receivers as Landlab's: {same.mean():.4%} of the nodes off the border")
grid.at_node["drainage_area"][:] = flip(area) * CELL * CELL
finder = ChiFinder(
    grid,
    reference_concavity=CONCAVITY,
    min_drainage_area=0.0,
    reference_area=REFERENCE,
    use_true_dx=True,
)
finder.calculate_chi()
theirs = flip(grid.at_node["channel__chi_index"])
inside = np.zeros((SIDE, SIDE), bool)
inside[1:-1, 1:-1] = True
# On the border water ends for Landlab, where ours may go on along it.
ends = np.array([to[here] < 0 for here in range(SIDE * SIDE)])


def end(here):
    while to[here] >= 0:
        here = to[here]
        if not inside.ravel()[here]:
            return to[here] < 0
    return True


whole = np.array([inside.ravel()[here] and end(here) for here in range(SIDE * SIDE)])
print(f"largest difference of χ to Landlab's: {np.abs(chi - theirs)[whole].max():.3g} m, at {whole.sum()} nodes")
print(f"sum of χ {chi.sum():.6f} m, of lengths {length.sum():.6f} m, largest χ {chi.max():.6f} m")
largest = np.argsort(-area, kind="stable")[:3]
for here in (30 * SIDE + 31, 20 * SIDE + 45, 7 * SIDE + 12, *map(int, largest)):
    print(f"({here}, {int(area[here])}, {chi[here]:.9f}, {length[here]:.9f}),")
