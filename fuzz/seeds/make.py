"""Writes the seeds: small files of every kind that the readers know.

    pip install numpy OpenEXR
    python3 fuzz/seeds/make.py

TIFFs lie in core/tests/data/tiff already, recipes in core/assets/recipes; one recipe for every step is written by

    cargo run --release --manifest-path fuzz/Cargo.toml --example recipe_seeds
"""

import struct
import zlib
from pathlib import Path

import numpy as np
import OpenEXR

HERE = Path(__file__).parent
SIDE = 6


def put(target, name, data):
    folder = HERE / target
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(bits, colour, before=b"", interlaced=0):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    def row(width, number):
        length = (width * channels * bits + 7) // 8
        return bytes([number % 5]) + bytes((number * 31 + i * 7) % 251 for i in range(length))
    if interlaced:
        passes = [(8, 8, 0, 0), (8, 8, 4, 0), (4, 8, 0, 4), (4, 4, 2, 0), (2, 4, 0, 2), (2, 2, 1, 0), (1, 2, 0, 1)]
        pixels = b""
        for dx, dy, x, y in passes:
            columns = range(x, SIDE, dx)
            pixels += b"".join(row(len(columns), y) for y in range(y, SIDE, dy) if columns)
    else:
        pixels = b"".join(row(SIDE, y) for y in range(SIDE))
    header = struct.pack(">IIBBBBB", SIDE, SIDE, bits, colour, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before
            + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


def pngs():
    palette = lambda count: chunk(b"PLTE", bytes(i * 5 % 256 for i in range(3 * count)))
    for bits in (1, 2, 4, 8, 16):
        put("png", f"grey_{bits}.png", png(bits, 0))
    for bits in (1, 2, 4, 8):
        put("png", f"palette_{bits}.png", png(bits, 3, palette(1 << bits)))
    for bits in (8, 16):
        for colour, name in ((2, "rgb"), (4, "grey_alpha"), (6, "rgba")):
            put("png", f"{name}_{bits}.png", png(bits, colour))
    put("png", "palette_transparent.png", png(8, 3, palette(256) + chunk(b"tRNS", b"\x00\x80")))
    put("png", "palette_interlaced.png", png(8, 3, palette(256), interlaced=1))
    put("png", "grey_16_interlaced.png", png(16, 0, interlaced=1))
    put("png", "grey_transparent.png", png(8, 0, chunk(b"tRNS", b"\x00\x07")))
    notes = [(b"upland:range", b"-12.5 4000"), (b"upland:cell", b"degrees 0.1 0.1 -36.8"), (b"upland:origin", b"1 2")]
    texts = b"".join(chunk(b"tEXt", key + b"\0" + text) for key, text in notes)
    put("png", "notes.png", png(16, 0, texts))
    texts = [chunk(b"zTXt", b"a\0\0" + zlib.compress(b"text")), chunk(b"iTXt", b"a\0\0\0en\0a\0text"),
             chunk(b"gAMA", struct.pack(">I", 45455)), chunk(b"pHYs", struct.pack(">IIB", 2835, 2835, 1)),
             chunk(b"iCCP", b"p\0\0" + zlib.compress(bytes(128))), chunk(b"eXIf", b"II*\0\x08\0\0\0\0\0")]
    put("png", "extras.png", png(8, 2, b"".join(texts)))


def bmp_file(info, palette, pixels):
    offset = 14 + len(info) + len(palette)
    return b"BM" + struct.pack("<IHHI", offset + len(pixels), 0, 0, offset) + info + palette + pixels


def bmps():
    def info(bits, compression=0, depth=SIDE, size=0, extra=b""):
        length = 40 + len(extra)
        return struct.pack("<IiiHHIIiiII", length, SIDE, depth, 1, bits, compression, size, 2835, 2835, 0, 0) + extra
    def pixels(bits):
        row = (SIDE * bits + 31) // 32 * 4
        return bytes(i * 13 % 251 for i in range(row * SIDE))
    for bits in (1, 4, 8):
        palette = bytes(i * 3 % 256 for i in range(4 << bits))
        put("bmp", f"palette_{bits}.bmp", bmp_file(info(bits), palette, pixels(bits)))
        old = struct.pack("<IHHHH", 12, SIDE, SIDE, 1, bits)
        put("bmp", f"old_{bits}.bmp", bmp_file(old, bytes(3 << bits), pixels(bits)))
    for bits in (16, 24, 32):
        put("bmp", f"colours_{bits}.bmp", bmp_file(info(bits), b"", pixels(bits)))
    put("bmp", "top_first.bmp", bmp_file(info(24, depth=-SIDE), b"", pixels(24)))
    masks = struct.pack("<III", 0xF800, 0x07E0, 0x001F)
    put("bmp", "fields_16.bmp", bmp_file(info(16, 3), masks, pixels(16)))
    masks = struct.pack("<IIII", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    put("bmp", "fields_32.bmp", bmp_file(info(32, 3, extra=masks), b"", pixels(32)))
    run = b"".join(bytes([3, y, 0, 3, 1, 2, 3, 0, 0, 0]) for y in range(SIDE)) + b"\0\1"
    put("bmp", "runs_8.bmp", bmp_file(info(8, 1, size=len(run)), bytes(1024), run))
    run = b"".join(bytes([4, 0x12, 0, 2, 0, 0]) for y in range(SIDE - 1)) + b"\0\2\1\0\0\1"
    put("bmp", "runs_4.bmp", bmp_file(info(4, 2, size=len(run)), bytes(64), run))


def exrs():
    kinds = {"none": OpenEXR.NO_COMPRESSION, "rle": OpenEXR.RLE_COMPRESSION, "zips": OpenEXR.ZIPS_COMPRESSION,
             "zip": OpenEXR.ZIP_COMPRESSION, "piz": OpenEXR.PIZ_COMPRESSION, "pxr24": OpenEXR.PXR24_COMPRESSION,
             "b44": OpenEXR.B44_COMPRESSION, "b44a": OpenEXR.B44A_COMPRESSION,
             "dwaa": OpenEXR.DWAA_COMPRESSION, "dwab": OpenEXR.DWAB_COMPRESSION}
    def save(name, header, channels):
        path = HERE / "exr" / f"{name}.exr"
        path.parent.mkdir(exist_ok=True)
        OpenEXR.File(header, channels).write(str(path))
    heights = np.arange(SIDE * SIDE).reshape(SIDE, SIDE) * 1.25
    for name, compression in kinds.items():
        header = {"compression": compression, "type": OpenEXR.scanlineimage}
        save(f"f32_{name}", header, {"Y": heights.astype("float32")})
        half = heights.astype("float16")
        save(f"rgb_f16_{name}", header, {"R": half, "G": half, "B": half})
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    save("u32", header, {"Z": heights.astype("uint32")})
    save("notes", header | {"upland:cell": "metres 30 20", "upland:origin": "1 2"}, {"Y": heights.astype("float32")})
    tiles = OpenEXR.TileDescription()
    tiles.xSize = tiles.ySize = 4
    save("tiled", header | {"type": OpenEXR.tiledimage, "tiles": tiles}, {"Y": heights.astype("float32")})
    parts = [OpenEXR.Part(header | {"name": n}, {"Y": heights.astype("float32")}) for n in ("a", "b")]
    path = HERE / "exr" / "parts.exr"
    OpenEXR.File(parts).write(str(path))


def texts():
    head = "ncols 3\nnrows 2\n"
    rows = "1 2.5 -3\n4e1 -9999 6\n"
    for name, text in {
        "degrees": head + "xllcorner -84.4\nyllcorner 36.7\ncellsize 0.0008\nNODATA_value -9999\n" + rows,
        "metres": head + "xllcenter 500000\nyllcenter 4649776\ncellsize 30\n" + rows,
        "oblong": head + "xllcorner 0\nyllcorner 0\ndx 10\ndy 30\nnodata_value nan\n" + rows,
    }.items():
        put("asc", f"{name}.asc", text.encode())
    put("r16", "square.r16", struct.pack("<9H", *range(0, 65536, 8000)))
    put("r16", "one.r16", b"\0\1")
    # The target makes tiles of them: a name, then heights.
    put("hgt", "voids.hgt", b"N46E007.x " + struct.pack(">5h", 1200, -32768, -3, 0, 32767))
    put("hgt", "nowhere.hgt", b"alps 3.1  " + struct.pack(">2h", -12, 12))
    sets = {
        "numbers": "fbm ridged\nsteps.0.octaves=6\nsteps.1.height=500\nseed=7\ncell=10\nname=Hills",
        "water": "river erode\nsteps.0.points=[(0.5, 0.0), (0.4, 1.0)]\nwater.sea=true\nwater.sea_level=-3",
        "skin": "fbm\ntexture=arid\ntexture=sets(sets: [temperate, arid], at: 0.5)\ntexture.season=0.5",
        "mask": "import fbm\nsteps.1.mask=height\nsteps.1.mask_min=3\nsteps.1.blend=add\nsteps.0.file=a.png",
        "sun": "warp\nsun.bearing=200\nsun.elevation=30\nsteps.0.on=false\nsteps.0.amount=0.5",
    }
    for name, text in sets.items():
        put("set", name, text.encode())


pngs()
bmps()
exrs()
texts()
