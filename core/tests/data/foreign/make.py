"""Makes the files in this folder with the libraries that others write theirs with:
pip install numpy rasterio OpenEXR pillow, then run it here."""

import numpy as np
import OpenEXR
import rasterio
from PIL import Image
from rasterio.crs import CRS
from rasterio.transform import from_origin

W, D = 37, 29
col, row = np.meshgrid(np.arange(W), np.arange(D))
h = 3 * col - 5 * row + (col * row) % 7  # As in ../tiff/make.py.


def gdal(name, bands, crs=None, units=None, **options):
    profile = dict(driver="GTiff", width=W, height=D, count=len(bands), dtype=bands[0].dtype)
    place = from_origin(500000, 5000000, 25, 30)
    with rasterio.open(name + ".tif", "w", crs=crs, transform=place, **profile, **options) as file:
        for index, band in enumerate(bands, 1):
            file.write(band, index)
        if units:
            file.units = units


metres = CRS.from_epsg(32633)
five = [(h + 1000 * index).astype("i2") for index in range(5)]
gdal("gdal_bands_pixel", five, metres, interleave="pixel", compress="deflate")
gdal("gdal_bands_band", [band.astype("f4") for band in five], metres, interleave="band", compress="lzw", predictor=3)
gdal("gdal_two_bands_u2", [(h + 140).astype("u2"), (h + 140).astype("u2")], metres, compress="packbits")
gdal("gdal_tiled_bands", five, metres, tiled=True, blockxsize=16, blockysize=16, compress="deflate", predictor=2)
# Heights by their unit, and by the vertical system that they are in.
gdal("gdal_unit_feet", [h.astype("f4")], metres, units=["ft"])
gdal("gdal_unit_us_feet", [h.astype("f4")], metres, units=["US survey foot"])
gdal("gdal_unit_metres", [h.astype("f4")], metres, units=["m"])
gdal("gdal_navd88_us_feet", [h.astype("f4")], CRS.from_string("EPSG:32633+6360"))
gdal("gdal_navd88_metres", [h.astype("f4")], CRS.from_string("EPSG:32633+5703"))

for name, kind in [("dwaa", OpenEXR.DWAA_COMPRESSION), ("dwab", OpenEXR.DWAB_COMPRESSION)]:
    header = {"compression": kind, "type": OpenEXR.scanlineimage}
    # A channel `R` is packed by cosines, one of whole numbers or of another name without loss.
    OpenEXR.File(header, {"R": h.astype("f4"), "A": (h + 140).astype("f4")}).write(f"{name}_r.exr")
    OpenEXR.File(header, {"Y": h.astype("f4")}).write(f"{name}_y.exr")
    OpenEXR.File(header, {"height": h.astype("f4")}).write(f"{name}_height.exr")

# Palettes of 1, 2 and 4 bits over so much of one colour that deflate does its best.
for bits in (1, 2, 4):
    image = Image.new("P", (1024, 1024), 0)
    image.putpalette([value for index in range(1 << bits) for value in (index * 255 // ((1 << bits) - 1),) * 3])
    image.putpixel((1023, 1023), (1 << bits) - 1)
    image.save(f"palette_{bits}.png", bits=bits, optimize=False, compress_level=9)
grey = Image.new("1", (1024, 1024), 0)
grey.putpixel((1023, 1023), 1)
grey.save("grey_1.png", compress_level=9)
