"""Makes the TIFFs of this folder whose names begin with `tiff_`: pip install numpy rasterio tifffile imagecodecs, then
run it here. They hold the land of `north_up.tif`, written in other ways; the tests compare with that file."""

import numpy as np
import rasterio
import tifffile
from rasterio.crs import CRS
from rasterio.transform import Affine

with rasterio.open("north_up.tif") as file:
    land = file.read(1)
    utm = file.crs
D, W = land.shape
NORTH = Affine(25, 0, 500000, 0, -25, 5000000)
# The land in centimetres above 50 m: whole numbers of 16 bits.
steps = np.round((land - 50) * 100).astype("u2")


def write(name, values, transform=NORTH, crs=utm, scale=None, offset=None, unit=None, mask=None, **options):
    bands = [values] if values.ndim == 2 else list(values)
    profile = dict(driver="GTiff", width=bands[0].shape[1], height=bands[0].shape[0], count=len(bands))
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        with rasterio.open(f"tiff_{name}.tif", "w", dtype=bands[0].dtype, transform=transform, crs=crs, **profile, **options) as file:
            for index, band in enumerate(bands, 1):
                file.write(band, index)
            if scale:
                file.scales, file.offsets = scale, offset
            if unit:
                file.units = unit
            if mask is not None:
                file.write_mask(mask)


# Directions.
for name, values, transform in [
    ("east_west", land[:, ::-1], Affine(-25, 0, 500000 + 25 * W, 0, -25, 5000000)),
    ("half_turn", land[::-1, ::-1], Affine(-25, 0, 500000 + 25 * W, 0, 25, 5000000 - 25 * D)),
    ("transposed", land.T, Affine(0, 25, 500000, -25, 0, 5000000)),
    ("quarter_turn", np.rot90(land), None),
]:
    if transform is None:
        # Columns run from north to south, rows from east to west.
        values, transform = land[:, ::-1].T, Affine(0, -25, 500000 + 25 * W, -25, 0, 5000000)
    write(name, np.ascontiguousarray(values), transform, tiled=True, blockxsize=16, blockysize=16, compress="deflate")
write("rotated", land, Affine.translation(500000, 5000000) * Affine.rotation(30) * Affine.scale(25, -25), compress="deflate")

# Scales, offsets and units by band.
two = np.stack([steps, steps[::-1]])
write("scales_by_band", two, scale=[0.01, 3.0], offset=[50.0, 7.0], compress="deflate", nodata=0)
write("scale_in_feet", steps, scale=[0.01 / 0.3048], offset=[50 / 0.3048], unit=["ft"], compress="deflate")

# Holes.
hole = np.zeros(land.shape, bool)
hole[10:14, 20:26] = True
holes = np.where(hole, np.float32(np.nan), land)
write("nan", holes, nodata=float("nan"), compress="deflate")
tiles = dict(tiled=True, blockxsize=16, blockysize=16, compress="deflate")
with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=False):
    with rasterio.open("tiff_mask_beside.tif", "w", driver="GTiff", width=W, height=D, count=1, dtype="float32", compress="deflate", crs=utm, transform=NORTH) as file:
        file.write(np.where(hole, 0, land).astype("f4"), 1)
        file.write_mask(~hole)
write("mask_tiled", np.where(hole, 0, land).astype("f4"), mask=~hole, **tiles)
alpha = np.stack([np.where(hole, 0, steps), np.where(hole, 0, 65535)], -1).astype("u2")
tifffile.imwrite("tiff_alpha.tif", alpha, photometric="minisblack", extrasamples=["unassalpha"], metadata=None, compression="deflate")
planes = np.moveaxis(alpha, -1, 0)
tifffile.imwrite("tiff_alpha_planar.tif", planes, photometric="minisblack", planarconfig="separate", extrasamples=["unassalpha"], metadata=None, compression="deflate")

# Compressions.
for kind, values, predictor in [("f4", land, 3), ("u2", steps, 2), ("f4", land, 2), ("f8", land.astype("f8"), 3)]:
    write(f"zstd_{kind}_{predictor}", values, compress="zstd", predictor=predictor, tiled=True, blockxsize=16, blockysize=16)
write("lerc", land, compress="lerc")
write("white_is_zero", steps, photometric="miniswhite", compress="lzw", predictor=2)
write("sparse_strips", np.where(np.arange(D)[:, None] < 8, land, 0).astype("f4"), blockysize=4, sparse_ok=True, compress="lzw")

# Units and projections.
small = np.zeros((4, 4), "f4") + np.arange(4, dtype="f4")
at = Affine(100, 0, 1000000, 0, -100, 1000000)
for name, crs in [
    ("feet", "EPSG:2222"),
    ("user_feet", "+proj=tmerc +lat_0=31 +lon_0=-110 +units=us-ft +datum=NAD83 +no_defs"),
    ("mercator_ellipsoid", "EPSG:3395"),
    ("mercator_by_hand", "+proj=merc +lat_ts=10 +datum=WGS84 +units=m +no_defs"),
    ("plate_carree", "EPSG:32662"),
    ("grads", "EPSG:4807"),
    ("mars", "+proj=longlat +a=3396190 +b=3376200 +no_defs"),
]:
    if name in ("mercator_ellipsoid", "mercator_by_hand", "plate_carree"):
        place = Affine(100, 0, 1000000, 0, -100, 6679169)
    elif name in ("grads", "mars"):
        place = Affine(0.01, 0, 2, 0, -0.01, 50)
    else:
        place = at
    write(name, small, place, CRS.from_string(crs))
