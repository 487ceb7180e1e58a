"""Runs the judges: every `judge_*.py` of this folder, or those that are named. `cargo xtask judges` calls it."""

import argparse
import importlib
import pathlib
import sys

import bench


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flexline", required=True, help="the program whose files are judged")
    parser.add_argument("--tools", required=True, help="the folder with what was installed beside the environment")
    parser.add_argument("--cad", action="store_true", help="OpenCASCADE too")
    parser.add_argument("topics", nargs="*", help="names of judges; all where none is given")
    args = parser.parse_args()
    known = sorted(path.stem.removeprefix("judge_") for path in here.glob("judge_*.py"))
    # That of CAD needs what a plain run does not install.
    wanted = args.topics or [topic for topic in known if topic != "cad" or args.cad]
    unknown = [topic for topic in wanted if topic not in known]
    if unknown:
        sys.exit(f"there is no judge {', '.join(unknown)}; there are {', '.join(known)}")
    own = bench.Bench(args.flexline, args.tools)
    for topic in wanted:
        try:
            judge = importlib.import_module(f"judge_{topic}").judge
        except Exception as error:  # a judge that cannot even be loaded must not hide the others
            own.topic = topic
            own.holds("can be loaded", False, f"{type(error).__name__}: {error}")
            continue
        own.run(topic, judge)
    sys.exit(0 if own.close() else 1)


main()
