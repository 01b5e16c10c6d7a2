"""The checks of scripts/beyond: worlds that are made in every way have the same bytes. Prints what it measures."""

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

UPLAND = os.environ["UPLAND"]
QUICK = sys.argv[1] == "quick"
ROOT = Path(sys.argv[2])
HERE = Path(__file__).resolve().parent

# Endless land with colours, and bounded land with a step that must know all of it: 64 tiles of each, or 16.
SIDE, TILE = (1024, 256) if QUICK else (4096, 512)
WORLDS = {
    "endless": ["endless-highlands", "--window", f"0:0,0,{SIDE}x{SIDE}", "--colours"],
    "bounded": ["high-range", "--size", str(SIDE), "--layer", "flow"],
}
PORT = 5377
STORE = {
    "AWS_ACCESS_KEY_ID": "loopback",
    "AWS_SECRET_ACCESS_KEY": "loopback-secret",
    "AWS_REGION": "us-east-1",
    "AWS_ENDPOINT": f"http://127.0.0.1:{PORT}",
}


def check(is_right, what):
    if not is_right:
        sys.exit(f"error: {what}")


def run(*arguments, threads=None, code=0):
    """Runs the program. Returns its output, its messages and the seconds that it took."""
    environment = dict(os.environ, **STORE)
    if threads:
        environment["RAYON_NUM_THREADS"] = str(threads)
    begun = time.time()
    done = subprocess.run([UPLAND, *map(str, arguments)], env=environment, capture_output=True, text=True)
    check(code is None or done.returncode == code, f"upland {arguments}: {done.returncode}: {done.stderr}")
    check("loopback-secret" not in done.stdout + done.stderr, "the secret key is printed")
    return done.stdout, done.stderr, time.time() - begun


def plan(world, place, tile=TILE):
    run("plan", *WORLDS[world], "--tile", tile, "--into", place)


def sums(folder):
    """The SHA-256 of all objects of a folder, by their names."""
    files = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
    check(not [path for path in files if path.name.startswith(".upland-")], f"{folder} has half-written files")
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def fresh(name):
    folder = ROOT / name
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def check_again(place):
    """A second run makes nothing, and takes little time."""
    _, said, seconds = run("work", "--plan", place)
    check("made" not in said, f"a second run makes tiles: {said}")
    check(seconds < 5, f"a second run takes {seconds:.1f} s")
    return seconds


def local(world):
    """By one process and by two. Returns the sums, and the seconds of two jobs."""
    times = {}
    expected = None
    for jobs in (1, 2):
        place = fresh(f"{world}-{jobs}")
        plan(world, place)
        run("work", "--plan", place, "--pass", "base", code=None)
        # Each job with one thread: then two have twice the cores of one.
        _, _, times[jobs] = run("work", "--plan", place, "--jobs", jobs, threads=jobs)
        again = check_again(place)
        found = sums(place)
        check(expected in (None, found), f"{world}: two jobs make other bytes than one")
        expected = found
    print(f"{world}: {len(expected)} objects; one job {times[1]:.1f} s, two jobs {times[2]:.1f} s "
          f"({times[1] / times[2]:.2f} times as fast), a second run {again:.2f} s", flush=True)
    return expected, times[2]


def ray_run(world, place, kill):
    """By Ray with two nodes on this machine, one of which may be killed. Returns the seconds."""
    from ray.cluster_utils import Cluster

    store = {"object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, **store})
    node = cluster.add_node(num_cpus=1, **store)
    begun = time.time()
    driver = [sys.executable, str(HERE / "ray_driver.py"), str(place), "--address", cluster.address, "--jobs", "2"]
    # A few tiles in a row, which share what is measured of the land around them.
    driver += ["--upland", UPLAND, "--tiles-per-task", "2" if QUICK else "4"]
    # Ray reports a node that is gone at great length.
    messages = open(ROOT / "ray.log", "w")
    process = subprocess.Popen(driver, stdout=messages, stderr=messages)
    if kill:
        while len(list(place.rglob("*.tif"))) < (4 if QUICK else 10):
            check(process.poll() is None, "Ray has ended before ten tiles were made")
            time.sleep(0.05)
        cluster.remove_node(node, allow_graceful=False)
    check(process.wait() == 0, f"{world}: Ray has failed, see {messages.name}")
    messages.close()
    seconds = time.time() - begun
    cluster.shutdown()
    return seconds


def with_ray(world, expected, two_jobs):
    place = fresh(f"{world}-ray")
    plan(world, place)
    # As for the two jobs, the base is not measured.
    run("work", "--plan", place, "--pass", "base", code=None)
    seconds = ray_run(world, place, kill=False)
    check(sums(place) == expected, f"{world}: Ray makes other bytes")
    print(f"{world}: Ray {seconds:.1f} s, {two_jobs / seconds:.2f} of the speed of two jobs", flush=True)
    place = fresh(f"{world}-killed-node")
    plan(world, place)
    seconds = ray_run(world, place, kill=True)
    # The node's processes have ended, and what they were writing is removed by the next run.
    check_again(place)
    check(sums(place) == expected, f"{world}: Ray with a killed node makes other bytes")
    print(f"{world}: Ray with a node killed after ten tiles {seconds:.1f} s", flush=True)


def children(parent):
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(") ", 1)[1].split()
            if int(fields[1]) == parent:
                found.append(int(entry.name))
        except (OSError, IndexError, ValueError):
            continue
    return found


def with_kills(world, expected, times):
    """Workers and the process that starts them are killed at random moments."""
    place = fresh(f"{world}-kills")
    plan(world, place)
    chance = random.Random(7)
    killed = 0
    for _ in range(4 * times):
        process = subprocess.Popen([UPLAND, "work", "--plan", place, "--jobs", "2"], stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.05, 1.0))
        victims = children(process.pid) or [process.pid]
        target = process.pid if chance.random() < 0.4 else chance.choice(victims)
        try:
            os.kill(target, signal.SIGKILL)
            killed += 1
        except ProcessLookupError:
            pass
        if target != process.pid:
            process.send_signal(signal.SIGTERM)
        process.wait()
        time.sleep(0.2)
        for path in place.rglob("*.tif"):
            name = str(path.relative_to(place))
            check(hashlib.sha256(path.read_bytes()).hexdigest() == expected[name], f"{name} is not whole")
        if killed >= times:
            break
    run("work", "--plan", place)
    check(sums(place) == expected, f"{world}: after {killed} kills there are other bytes")
    print(f"{world}: {killed} processes were killed, and all objects are whole", flush=True)


class Server:
    """An S3 server of this machine."""

    def __enter__(self):
        command = [str(Path(sys.executable).parent / "moto_server"), "-H", "127.0.0.1", "-p", str(PORT)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(120):
            time.sleep(0.5)
            try:
                urllib.request.urlopen(f"{STORE['AWS_ENDPOINT']}/moto-api/", timeout=1)
                break
            except OSError:
                continue
        import boto3

        self.client = boto3.client(
            "s3",
            endpoint_url=STORE["AWS_ENDPOINT"],
            aws_access_key_id=STORE["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=STORE["AWS_SECRET_ACCESS_KEY"],
            region_name=STORE["AWS_REGION"],
        )
        self.client.create_bucket(Bucket="land")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def objects(self, prefix):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="land", Prefix=prefix + "/")
        keys = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
        body = lambda key: self.client.get_object(Bucket="land", Key=key)["Body"].read()
        return {key.removeprefix(prefix + "/"): hashlib.sha256(body(key)).hexdigest() for key in keys}


def with_store(world, expected):
    with Server() as server:
        folder = f"{world} größe"
        place = f"s3://land/{folder}"
        plan(world, place)
        _, _, seconds = run("work", "--plan", place, "--jobs", 2)
        again = check_again(place)
        check(server.objects(folder) == expected, f"{world}: the store has other bytes")
        print(f"{world}: two jobs on the S3 server {seconds:.1f} s, a second run {again:.2f} s", flush=True)

        key = f"{folder}/heights/x0001_y0001.tif"
        whole = server.client.get_object(Bucket="land", Key=key)["Body"].read()
        server.client.put_object(Bucket="land", Key=key, Body=whole[:-1000])
        _, said, _ = run("verify", "--plan", place, "--sample", "0%", code=1)
        check("x0001_y0001.tif" in said, f"a truncated object is not named: {said}")
        run("verify", "--plan", place, "--sample", "0%", "--repair")
        check(server.objects(folder) == expected, "a truncated object is not repaired")

        # Two plans at the same time: one is written, the other says so.
        for attempt in range(5):
            race = f"s3://land/race-{attempt}"
            commands = [[UPLAND, "plan", name, "--size", "257", "--into", race] for name in ("downs", "canyon")]
            pipe = subprocess.PIPE
            racing = [subprocess.Popen(command, env=dict(os.environ, **STORE), stdout=pipe, stderr=pipe, text=True)
                      for command in commands]
            said = [process.communicate()[1] for process in racing]
            codes = sorted(process.returncode for process in racing)
            check(codes == [0, 1] and "another plan" in "".join(said), f"two plans race: {codes} {said}")
        print("store: a truncated object is found and repaired; of two plans that race one is written", flush=True)


def memory_of(*arguments):
    """The most memory of a process and those that it starts, MiB, and the seconds."""
    script = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]).returncode; "
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024); sys.exit(done)")
    begun = time.time()
    done = subprocess.run([sys.executable, "-c", script, UPLAND, *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(done.returncode == 0, f"upland {arguments}: {done.stderr}")
    return int(done.stdout.split()[-1]), time.time() - begun


def measure():
    """Memory and time of large tiles."""
    side = 2048 if QUICK else 8192
    for options, name, most in ((["--colours"], "colours", 1536), ([], "heights", 1024)):
        if QUICK and name == "colours":
            continue
        place = fresh(f"tile-{name}")
        run("plan", "endless-highlands", "--window", f"0:0,0,{side + 1}x{side + 1}", "--tile", side, *options,
            "--into", place)
        mebibytes, seconds = memory_of("work", "--plan", place, "--pass", name, "--tiles", "0..1")
        check(mebibytes <= most, f"a tile of {side}² {name} takes {mebibytes} MiB")
        print(f"a tile of {side}² {name}: {mebibytes} MiB, {seconds:.0f} s on {os.cpu_count()} cores", flush=True)
        shutil.rmtree(place)


def million():
    """A plan of a million by a million samples, and its status with all tiles there."""
    place = fresh("million")
    _, _, planned = run("plan", "endless-highlands", "--window", "0:0,0,1000000x1000000", "--tile", 8192, "--into", place)
    _, _, empty = run("status", "--json", "--plan", place)
    heights = place / "heights"
    heights.mkdir()
    # Links to one tile: their heads are read as those of real ones are.
    source = next((ROOT / "endless-1/heights").glob("*.tif"))
    for row in range(123):
        for column in range(123):
            os.link(source, heights / f"x{column:04}_y{row:04}.tif")
    _, _, full = run("status", "--json", "--plan", place)
    check(planned < 60 and full < 10, f"a plan takes {planned:.1f} s, its status {full:.1f} s")
    print(f"a million by a million samples: planned in {planned:.2f} s, status {empty:.2f} s without tiles and "
          f"{full:.2f} s with {123 * 123}", flush=True)
    shutil.rmtree(place)


def check_cogs(world):
    """Other programs accept the tiles."""
    from rio_cogeo.cogeo import cog_validate

    tiles = sorted((ROOT / f"{world}-1").rglob("*.tif"))
    for tile in tiles:
        is_valid, errors, warnings = cog_validate(str(tile), quiet=True)
        check(is_valid and not errors and not warnings, f"{tile}: {errors} {warnings}")
    print(f"{world}: {len(tiles)} tiles are valid COGs", flush=True)


def check_list(world):
    """GDAL reads the list of all tiles as the land that one process writes into one file."""
    import rasterio

    single = ROOT / "single.tif"
    _, _, seconds = run("generate", *WORLDS[world][:3], "-o", single, "--cog", threads=1)
    with rasterio.open(ROOT / f"{world}-1/heights.vrt") as tiles, rasterio.open(single) as whole:
        check(tiles.shape == whole.shape == (SIDE, SIDE), f"{world}: {tiles.shape} and {whole.shape} samples")
        is_same = tiles.read(1).tobytes() == whole.read(1).tobytes()
        check(is_same, f"{world}: the list of tiles has other heights than one file")
        print(f"{world}: the list of {len(tiles.files) - 1} tiles has the bits of one file", flush=True)
    single.unlink()
    return seconds


def compare_speed(single):
    """Heights in tiles, on one thread, beside one file of them that took so many seconds."""
    place = fresh("endless-speed")
    plan("endless", place)
    _, _, seconds = run("work", "--plan", place, "--pass", "heights", "--jobs", 1, threads=1)
    print(f"endless: heights in tiles {seconds:.1f} s, in one file {single:.1f} s: "
          f"{single / seconds:.2f} of its speed", flush=True)
    shutil.rmtree(place)


def main():
    ROOT.mkdir(parents=True, exist_ok=True)
    os.environ["RAY_DEDUP_LOGS"] = "0"
    for world in WORLDS:
        expected, two_jobs = local(world)
        check_cogs(world)
        single = check_list(world)
        if world == "endless":
            compare_speed(single)
        with_ray(world, expected, two_jobs)
        with_store(world, expected)
        if world == "bounded":
            with_kills(world, expected, 20 if QUICK else 50)
    million()
    measure()
    shutil.rmtree(ROOT)


main()
