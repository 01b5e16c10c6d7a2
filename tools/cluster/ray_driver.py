#!/usr/bin/env python3
"""Makes a planned world with Ray, on a laptop or on a cluster.

    python ray_driver.py PLACE --jobs 8                  # on this machine
    python ray_driver.py PLACE --address auto --jobs 400 # on the cluster that this machine belongs to

PLACE is where `upland plan --into` has written the plan: a store, or a folder that all nodes share. Each task is
one process of `upland work` for a few tiles in a row. What exists is skipped, so that the same command resumes.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import ray


def upland(program, *arguments, threads=None):
    """Runs the program, and returns its output. Its own message is the error."""
    environment = dict(os.environ)
    if threads:
        environment["RAYON_NUM_THREADS"] = str(threads)
    try:
        done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True)
    except OSError as error:
        raise RuntimeError(f"{program} cannot be started ({error.strerror}); put it into the path of every node, "
                           "or say where it is with --upland") from error
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"upland has ended with code {done.returncode}")
    return done.stdout


def runs(tiles, most):
    """The ranges of tiles in a row, each of at most so many: [3, 4, 5, 9] in pairs are 3..5, 5..6 and 9..10."""
    found = []
    for tile in tiles:
        if found and found[-1][1] == tile and tile - found[-1][0] < most:
            found[-1][1] += 1
        else:
            found.append([tile, tile + 1])
    return found


# A node that dies takes its tasks with it, and Ray starts them elsewhere; a task that fails is tried again, too.
@ray.remote(num_cpus=1, max_retries=4, retry_exceptions=True)
def work(program, place, kind, first, end, threads):
    upland(program, "work", "--plan", place, "--pass", kind, "--tiles", f"{first}..{end}", threads=threads)
    return end - first


def show(kind, done, count, begun, last):
    """Reports progress now and then; returns when it was last reported."""
    now = time.time()
    if now - last < 10 and done < count:
        return last
    left = (now - begun) / max(done, 1) * (count - done)
    print(f"{kind}: {done} of {count} tiles, about {left:.0f} s left", file=sys.stderr, flush=True)
    return now


def make_tiles(arguments, kind, tiles):
    """Makes tiles of a pass. Returns what failed."""
    begun, last, done, failures = time.time(), time.time(), 0, []
    ranges = runs(tiles, arguments.tiles_per_task)
    cores = max(1, arguments.threads)
    waiting = {}
    while ranges or waiting:
        # Only a few more tasks than jobs are known to Ray at a time, so that millions of tiles take no memory.
        while ranges and len(waiting) < 2 * arguments.jobs:
            first, end = ranges.pop(0)
            task = work.options(num_cpus=cores).remote(
                arguments.upland, arguments.place, kind, first, end, arguments.threads
            )
            waiting[task] = (first, end)
        ready, _ = ray.wait(list(waiting), num_returns=1)
        for task in ready:
            first, end = waiting.pop(task)
            try:
                done += ray.get(task)
            except Exception as error:  # Whatever Ray reports of a task: the others go on.
                failures.append(f"tiles {first}..{end}: {str(error).strip().splitlines()[-1]}")
        last = show(kind, done, len(tiles), begun, last)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place", help="where the plan is")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tasks at the same time")
    parser.add_argument("--address", help="the cluster, such as auto; without it Ray is started on this machine")
    parser.add_argument("--threads", type=int, default=1, help="threads, and cores, of each task")
    parser.add_argument("--tiles-per-task", type=int, default=4, help="tiles in a row that a task makes")
    parser.add_argument("--upland", default="upland", help="the program, on every node")
    arguments = parser.parse_args()
    # Before Ray is started: a wrong address is reported at once.
    status = json.loads(upland(arguments.upland, "status", "--json", "--plan", arguments.place))
    if arguments.address:
        ray.init(address=arguments.address, log_to_driver=False)
    else:
        ray.init(num_cpus=arguments.jobs * max(1, arguments.threads), include_dashboard=False, log_to_driver=False)

    failures = []
    for entry in status["passes"]:
        todo = sorted(set(entry["missing"]) | {damage["tile"] for damage in entry["damaged"]})
        if not todo:
            print(f"{entry['pass']}: all of it is there", file=sys.stderr)
        elif entry["pass"] in ("heights", "colours"):
            failures += make_tiles(arguments, entry["pass"], todo)
        elif entry["pass"] == "index" and failures:
            print("index: not made, since tiles are missing", file=sys.stderr)
        else:
            # One process with all threads of its node, and with as much memory as the plan says.
            whole_node = work.options(num_cpus=1)
            ray.get(whole_node.remote(arguments.upland, arguments.place, entry["pass"], 0, 1, None))
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    if failures:
        sys.exit("some tiles are missing; run the same command again, which resumes")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("interrupted; run the same command again, which resumes")
    except (RuntimeError, ray.exceptions.RayError) as error:
        # Of an error in a task the last line says what it was; the others are Ray's.
        sys.exit(str(error).strip().splitlines()[-1])
