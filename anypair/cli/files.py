"""Graphs in files, as the subcommands that read or write one share them."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from anypair.cli.progress import Bar
from anypair.io import FORMATS, Loaded, read
from anypair.semiring import first, maximum, minimum, plus

VERTICES = ("auto", "numbers", "ids", "names")
DUPLICATES = {"first": first, "plus": plus, "minimum": minimum, "maximum": maximum}


def endings() -> str:
    """How the files of the known formats end, for help texts."""
    found = [
        f"{suffix}[.gz]" if row.compressible else suffix
        for row in FORMATS.values()
        for suffix in row.suffixes
    ]
    return " ".join(found)


def add_input(parser: ArgumentParser, name: str = "FILE") -> None:
    """A file to read, and how."""
    add = parser.add_argument
    add(
        "file",
        type=Path,
        metavar=name,
        help=f"the graph; the end of its name says how it is written: {endings()}",
    )
    add(
        "--format", choices=list(FORMATS), metavar="NAME",
        help=f"how the graph is written, if its name does not say: {', '.join(FORMATS)}",
    )  # fmt: skip
    add("--undirected", action="store_true", help="take every edge in both directions")
    add(
        "--vertices", choices=VERTICES, default="auto", metavar="KIND",
        help="what stands for a vertex in an edge list: numbers, ids (numbers with gaps, to be packed), "
        "names, or auto to find out (default: %(default)s)",
    )  # fmt: skip
    add(
        "--duplicates", choices=list(DUPLICATES), metavar="OPERATOR",
        help="what becomes of the weights of an edge that is given twice: "
        f"{', '.join(DUPLICATES)} (default: that is an error)",
    )  # fmt: skip


def load(options: Namespace, bar: Bar) -> Loaded:
    """Read the graph of the options."""
    bar(f"reading {options.file.name}", 0, 0)
    return read(
        options.file,
        format=options.format,
        symmetric=True if options.undirected else None,  # else as the file says
        vertices=options.vertices,
        duplicates=DUPLICATES.get(options.duplicates),
    )


def add_output(parser: ArgumentParser) -> None:
    """A file to write."""
    parser.add_argument(
        "output", type=Path, metavar="OUT",
        help=f"the file to write; the end of its name says how: {endings()}",
    )  # fmt: skip
