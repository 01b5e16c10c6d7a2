"""Writes ../../src/elevation/map/epsg.rs from the EPSG data set that PROJ ships (proj.db):
pip install rasterio, then run it here."""

import glob
import math
import os
import sqlite3

import rasterio

path = glob.glob(os.path.join(os.path.dirname(rasterio.__file__), "proj_data", "proj.db"))[0]
db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
version = db.execute("select value from metadata where key = 'EPSG.VERSION'").fetchone()[0]


def units_of(table, order):
    query = f"""select cast(c.code as int), cast(a.uom_code as int), a.orientation from {table} c join axis a
        on a.coordinate_system_auth_name = c.coordinate_system_auth_name
        and a.coordinate_system_code = c.coordinate_system_code
        where c.auth_name = 'EPSG' and a.coordinate_system_order = {order} order by 1"""
    return [(code, unit, way) for code, unit, way in db.execute(query) if code < 32768]


def ranges(codes):
    found = []
    for code, value in codes:
        if found and found[-1][1] == code - 1 and found[-1][2] == value:
            found[-1][1] = code
        else:
            found.append([code, code, value])
    return found


def table(out, name, about, rows):
    out.append(f"/// {about}")
    out.append("#[rustfmt::skip]")
    kind = f"({', '.join(['u16'] * len(rows[0]))})"
    out.append(f"pub(super) static {name}: [{kind}; {len(rows)}] = [")
    line = "   "
    for row in rows:
        text = f" ({', '.join(map(str, row))}),"
        if len(line + text) > 109:
            out.append(line)
            line = "   "
        line += text
    out += [line, "];", ""]


out = [
    f"//! Units and Mercator projections of coordinate systems by their EPSG codes ({version} of the EPSG data set",
    "//! of the IOGP, <https://epsg.org>, as PROJ ships it). Written by `tests/data/epsg.py`.",
    "",
]
units = db.execute(
    "select cast(code as int), conv_factor, name from unit_of_measure where auth_name = 'EPSG' and type = 'length' and name not like '%per %' order by 1"
).fetchall()
out.append("/// Units of length: code, metres, name.")
out.append("#[rustfmt::skip]")
out.append(f"pub(super) static LENGTHS: [(u16, f64, &str); {len(units)}] = [")
out += [f"    ({code}, {float(factor)!r}, \"{name}\")," for code, factor, name in units if math.isfinite(factor)]
out += ["];", ""]
angles = db.execute(
    "select cast(code as int), conv_factor, name from unit_of_measure where auth_name = 'EPSG' and type = 'angle' and conv_factor > 0 order by 1"
).fetchall()
out.append("/// Units of angle: code, degrees, name.")
out.append("#[rustfmt::skip]")
out.append(f"pub(super) static ANGLES: [(u16, f64, &str); {len(angles)}] = [")
out += [f"    ({code}, {1.0 if 'degree' in name else math.degrees(factor)!r}, \"{name}\")," for code, factor, name in angles]
out += ["];", ""]

projected = ranges([(code, unit) for code, unit, _ in units_of("projected_crs", 1)])
table(out, "PROJECTED", "Projected systems: first code, last code, unit.", projected)
# Minutes and seconds (9107, 9108, …) are for people; files have decimal degrees.
geographic = [(code, unit if unit in (9101, 9105, 9106) else 9122) for code, unit, _ in units_of("geodetic_crs", 1) if unit != 9001]
geographic = ranges(geographic)
table(out, "GEOGRAPHIC", "Geographic systems: first code, last code, unit of angle.", geographic)
vertical = [(code, unit, way) for code, unit, way in units_of("vertical_crs", 1)]
table(out, "VERTICAL", "Vertical systems: first code, last code, unit.", ranges([(c, u) for c, u, _ in vertical]))
down = ranges([(code, 0) for code, _, way in vertical if way == "down"])
table(out, "DEPTHS", "Vertical systems that count downwards: first code, last code.", [row[:2] for row in down])
compound = db.execute(
    """select cast(code as int), cast(horiz_crs_code as int), cast(vertical_crs_code as int) from compound_crs
    where auth_name = 'EPSG' and horiz_crs_auth_name = 'EPSG' and vertical_crs_auth_name = 'EPSG' order by 1"""
).fetchall()
table(out, "COMPOUND", "Compound systems: code, horizontal system, vertical system.", [r for r in compound if r[0] < 32768])


def angle(value, unit):
    if unit == 9110:  # Sexagesimal: degrees, minutes in two digits, seconds in two digits.
        sign, value = math.copysign(1, value), abs(value)
        degrees = math.floor(value + 1e-9)
        minutes = math.floor((value - degrees) * 100 + 1e-7)
        return sign * (degrees + minutes / 60 + ((value - degrees) * 100 - minutes) / 36)
    return value * {9102: 1.0, 9122: 1.0, 9101: math.degrees(1), 9105: 0.9}[unit]


rows = []
columns = ", ".join(f"param{n}_code, param{n}_value, param{n}_uom_code" for n in range(1, 8))
query = f"""select cast(p.code as int), cast(v.method_code as int), e.semi_major_axis,
    e.inv_flattening, e.semi_minor_axis, {columns} from projected_crs p
    join conversion_table v on v.auth_name = p.conversion_auth_name and v.code = p.conversion_code
    join geodetic_crs g on g.auth_name = p.geodetic_crs_auth_name and g.code = p.geodetic_crs_code
    join geodetic_datum d on d.auth_name = g.datum_auth_name and d.code = g.datum_code
    join ellipsoid e on e.auth_name = d.ellipsoid_auth_name and e.code = d.ellipsoid_code
    where p.auth_name = 'EPSG' and v.method_auth_name = 'EPSG'
    and cast(v.method_code as int) in (1024, 1026, 1028, 1029, 9804, 9805, 9823, 9842) order by 1"""
for code, method, major, inverse, minor, *params in db.execute(query):
    if code >= 32768:
        continue
    values = {int(params[i]): (params[i + 1], int(params[i + 2])) for i in range(0, 21, 3) if params[i]}
    inverse = inverse or (major / (major - minor) if minor and minor != major else 0.0)
    mercator = method in (1024, 1026, 9804, 9805)
    if method in (1024, 1026):
        inverse = 0.0
    parallel = angle(*values[8823]) if 8823 in values else 0.0
    scale = values.get(8805, (1.0, 0))[0]
    metres = dict((c, f) for c, f, _ in units)
    length = lambda key: values[key][0] * metres[values[key][1]] if key in values else 0.0
    kind = "Mercator" if mercator else "Cylindrical"
    rows.append((code, kind, float(major), float(inverse), round(parallel, 9), float(scale), length(8807)))
out.append("/// Projections whose scale depends on the latitude alone: code, kind, semi-major axis in metres, inverse")
out.append("/// flattening (0 of a sphere), latitude of true scale in degrees, scale there, false northing in metres.")
out.append("#[rustfmt::skip]")
out.append(f"pub(super) static STRETCHED: [(u16, Stretch, f64, f64, f64, f64, f64); {len(rows)}] = [")
out += [f"    ({c}, Stretch::{k}, {', '.join(repr(float(n)) for n in rest)})," for c, k, *rest in rows]
out += ["];", ""]
rows = []
for code, method, major, inverse, minor, *params in db.execute(query.replace("1024, 1026, 1028, 1029, 9804, 9805, 9823, 9842", "9810, 9829")):
    if code >= 32768:
        continue
    values = {int(params[i]): (params[i + 1], int(params[i + 2])) for i in range(0, 21, 3) if params[i]}
    inverse = inverse or (major / (major - minor) if minor and minor != major else 0.0)
    parallel = angle(*values[8832 if method == 9829 else 8801])
    scale = values.get(8805, (1.0, 0))[0]
    east, north = (length(key) if key in values else 0.0 for key in (8806, 8807))
    rows.append((code, float(major), float(inverse), round(parallel, 9), float(scale), east, north))
out.append("/// Polar stereographic projections: code, semi-major axis in metres, inverse flattening, latitude of true")
out.append("/// scale in degrees, scale there, easting and northing of the pole in metres.")
out.append("#[rustfmt::skip]")
out.append(f"pub(super) static POLAR: [(u16, f64, f64, f64, f64, f64, f64); {len(rows)}] = [")
out += [f"    ({c}, {', '.join(repr(float(n)) for n in rest)})," for c, *rest in rows]
out += ["];", ""]
out.insert(3, "use super::projection_kind::Stretch;\n")
with open("../../src/elevation/map/epsg.rs", "w") as file:
    file.write("\n".join(out))
