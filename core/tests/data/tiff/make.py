"""Makes the TIFF files in this folder: pip install numpy tifffile imagecodecs, then run it here."""

import numpy as np
import tifffile

W, D = 37, 29  # Odd, so that tiles and strips end in the middle.
col, row = np.meshgrid(np.arange(W), np.arange(D))
h = 3 * col - 5 * row + (col * row) % 7  # −140 … 114; the tests compute the same.

TILE = dict(tile=(16, 16))
FILES = {
    "u8": (h + 140, "u1", "<", {}),
    "i8_tiled_big_endian": (h // 2, "i1", ">", TILE),
    "u16_strips_big_endian": (h + 140, "u2", ">", dict(rowsperstrip=5)),
    "u16_deflate_predictor_tiled": (h + 140, "u2", "<", dict(compression="deflate", predictor=2, **TILE)),
    "u16_packbits": (h + 140, "u2", "<", dict(compression="packbits")),
    "i16_lzw_predictor_big_endian": (h, "i2", ">", dict(compression="lzw", predictor=2)),
    "i16_lzw_tiled": (h, "i2", "<", dict(compression="lzw", **TILE)),
    "u16_lzw_predictor_tiled_big_endian": (h + 140, "u2", ">", dict(compression="lzw", predictor=2, **TILE)),
    "f32_lzw_predictor_tiled": (h, "f4", "<", dict(compression="lzw", predictor=3, **TILE)),
    "f32_lzw_strips": (h, "f4", "<", dict(compression="lzw", rowsperstrip=6)),
    "i32": (h, "i4", "<", {}),
    "u32_big_endian": (h + 140, "u4", ">", {}),
    "f16": (h, "f2", "<", {}),
    "f32_strips": (h, "f4", "<", dict(rowsperstrip=4)),
    "f32_deflate_predictor_tiled": (h, "f4", "<", dict(compression="deflate", predictor=3, **TILE)),
    "f32_lzw_predictor_big_endian": (h, "f4", ">", dict(compression="lzw", predictor=3)),
    "f64_tiled_big_endian": (h, "f8", ">", TILE),
    "f64_deflate_predictor": (h, "f8", "<", dict(compression="deflate", predictor=3)),
}
for name, (values, kind, order, options) in FILES.items():
    values = values.astype(np.dtype(order + kind))
    tifffile.imwrite(name + ".tif", values, byteorder=order, photometric="minisblack", metadata=None, **options)

h16 = (h + 140).astype("u2")
tifffile.imwrite("u16_bigtiff.tif", h16, bigtiff=True, photometric="minisblack", metadata=None)
rgb = np.stack([h16, h16 * 2, h16 * 3], -1)
tifffile.imwrite("rgb16.tif", rgb, photometric="rgb", metadata=None)
tifffile.imwrite(
    "rgb16_planar_tiled.tif", np.moveaxis(rgb, -1, 0), photometric="rgb", planarconfig="separate", metadata=None, **TILE
)
lzw = dict(compression="lzw", predictor=2)
tifffile.imwrite("rgb16_lzw_tiled.tif", rgb, photometric="rgb", metadata=None, **lzw, **TILE)
tifffile.imwrite(
    "rgb16_lzw_planar.tif", np.moveaxis(rgb, -1, 0), photometric="rgb", planarconfig="separate", metadata=None, **lzw
)

tifffile.imwrite("u8_jpeg.tif", (h + 140).astype("u1"), photometric="minisblack", metadata=None, compression="jpeg")


def geo(name, values, keys, scale, tie, nodata=None):
    tags = [
        (33550, "d", 3, (*scale, 0.0), True),
        (33922, "d", 6, (*tie[:2], 0.0, *tie[2:], 0.0), True),
        (34735, "H", 4 * (len(keys) + 1), sum(([k, 0, 1, v] for k, v in keys), [1, 1, 0, len(keys)]), True),
    ]
    if nodata:
        tags.append((42113, "s", 0, nodata, True))
    tifffile.imwrite(name + ".tif", values, photometric="minisblack", metadata=None, extratags=tags)


holes = h.astype("i2")
holes[10:13, 20:24] = -32768
geo("geo_degrees_nodata", holes, [(1024, 2), (1025, 1), (2048, 4326)], (1 / 1200, 1 / 1200), (0, 0, 10.0, 50.0), "-32768")
geo("geo_metres_point", h.astype("f4"), [(1024, 1), (1025, 2), (3072, 32633)], (25.0, 30.0), (0, 0, 500012.5, 5000000.0))
geo("geo_feet", h.astype("f4"), [(1024, 1), (1025, 1), (3072, 32767), (3076, 9002)], (100.0, 100.0), (0, 0, 0.0, 0.0))
nan = h.astype("f4")
nan[0, 0] = nan[28, 36] = np.nan
tifffile.imwrite("f32_nan.tif", nan, photometric="minisblack", metadata=None)
inf = h.astype("f4")
inf[3, 4] = np.inf
tifffile.imwrite("f32_inf.tif", inf, photometric="minisblack", metadata=None)
geo("geo_vertical_feet", h.astype("i2"), [(1024, 1), (1025, 1), (3072, 32633), (4099, 9002)], (25.0, 30.0), (0, 0, 5e5, 5e6), "-140")
