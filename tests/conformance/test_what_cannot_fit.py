"""What cannot fit is refused by name and with figures, and what fits is not."""

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from anypair import Matrix, Vector, assign, ewise_add, extract, kron, memory, mxm, mxv, update, vxm
from anypair.backends.registry import why_not
from anypair.errors import NotEnoughMemory
from anypair.memory import Room, naming_memory_errors
from anypair.semiring import plus, plus_times, times
from tests.support.compare import assert_same

COUNTING = ("scipy", "jit")  # of the others one is an oracle, one leaves it to its library

OUTER_PRODUCT = """
import resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import numpy as np, anypair
from anypair import Matrix, mxm
from anypair.errors import NotEnoughMemory
from anypair.semiring import plus_times
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with anypair.using(sys.argv[1]):
    k = 10**5; z = np.zeros(k, int)
    small = Matrix.from_entries([0, 0, 1], [0, 1, 1], 1.0, (2, 2))
    mxm(small, small, plus_times)  # which compiles
    column = Matrix.from_entries(np.arange(k), z, z + 1.0, (k, 1))
    row = Matrix.from_entries(z, np.arange(k), z + 1.0, (1, k))
    before, begin = peak(), time.process_time()
    try:
        mxm(column, row, plus_times)
    except NotEnoughMemory as error:
        print(error)
    assert time.process_time() - begin < 1, "it took a second"
    assert peak() - before < 100_000, "it took 100 MB"
"""


@pytest.mark.parametrize("backend_name", COUNTING)
def test_an_outer_product_under_a_limit_is_refused_at_once(backend_name: str) -> None:
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", OUTER_PRODUCT, backend_name],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "mxm: the product, of at least 10000000000 entries, needs about" in done.stdout
    assert "within RLIMIT_AS, which is 4.29 GB" in done.stdout


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Pretend that so many bytes are free, and that each has to be asked for."""

    def leave(nbytes: int) -> None:
        monkeypatch.setattr(memory, "ALWAYS_FITS", 0)
        monkeypatch.setattr("anypair.backends.product_size.ALWAYS_FITS", 0)
        monkeypatch.setattr(memory, "least_room", lambda: Room(nbytes, " in this test"))

    return leave


def random_matrix(seed: int, shape: tuple[int, int], entries: int) -> Matrix:
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(0, shape[0], entries), rng.integers(0, shape[1], entries)
    return Matrix.from_entries(rows, columns, rng.integers(1, 9, entries), shape, duplicates=plus)


def least_memory(product: Callable[[], Matrix], room: Callable[[int], None]) -> int:
    """The least memory that a product asks for, by halving."""
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        room(middle)
        try:
            product()
            high = middle
        except NotEnoughMemory:
            low = middle
    return high


@pytest.mark.parametrize("masked", ["", "mask", "~mask"])
def test_products_are_counted_before_they_are_computed(
    backend: str, masked: str, room: Callable[[int], None]
) -> None:
    if backend not in COUNTING:
        pytest.skip("does not count")
    A, B = random_matrix(1, (60, 40), 400), random_matrix(2, (40, 30), 300)
    M = random_matrix(3, (60, 30), 500)
    mask = {"": None, "mask": M.structure, "~mask": ~M.structure}[masked]

    def product() -> Matrix:
        return mxm(A, B, plus_times, mask=mask)

    expected = product()
    needed = least_memory(product, room)
    room(needed)
    found = product()
    room(1 << 40)
    assert_same(found, expected)
    room(needed - 1)
    with pytest.raises(NotEnoughMemory, match=r"^mxm: the product.* needs about .* in this test$"):
        product()
    # Not refused because of what it would be at most, which is far more.
    each = 4 + expected.dtype.itemsize
    assert needed > expected.nvals * each


def test_a_mask_bounds_the_product(backend: str, room: Callable[[int], None]) -> None:
    if backend not in COUNTING:
        pytest.skip("does not count")
    n = 300
    column = Matrix.from_entries(np.arange(n), np.zeros(n, int), 1.0, (n, 1))
    row = Matrix.from_entries(np.zeros(n, int), np.arange(n), 1.0, (1, n))
    corner = Matrix.from_entries([0, 5], [7, 9], True, (n, n)).structure
    everything = least_memory(lambda: mxm(column, row, plus_times), room)
    inside = least_memory(lambda: mxm(column, row, plus_times, mask=corner), room)
    assert inside < everything / 2 or backend == "scipy"  # which takes the products of a batch at once
    room(inside)
    assert mxm(column, row, plus_times, mask=corner).nvals == 2


def test_operations_that_allocate_by_their_result(backend: str, room: Callable[[int], None]) -> None:
    A, B = random_matrix(1, (30, 30), 300), random_matrix(2, (30, 30), 3)
    v = Vector.full(1000, 1.0)
    x, y = Vector.from_entries([0, 2], [1, 1], 4000), Vector.from_entries([1, 2], [1, 1], 4000)
    room(100)
    calls: dict[str, Callable[[], object]] = {
        "kron": lambda: kron(A, A, times),
        "Vector.to_numpy": lambda: v.to_numpy(0),
        "to_entries": v.to_entries,
        "Vector.from_entries": lambda: Vector.from_entries(np.arange(99), 1, 100),
        "Matrix.from_entries": lambda: Matrix.from_entries([0, 1], [1, 1], 1, (9, 9)),
        "Matrix.from_edges": lambda: Matrix.from_edges([0, 1, 2], [1, 1, 1]),
        "Matrix.to_numpy": lambda: A.to_numpy(0),
    }
    if backend in COUNTING:
        calls |= {
            "extract": lambda: extract(A, np.zeros(500, int)),
            "ewise_add": lambda: ewise_add(A, B, plus),
            "assign": lambda: assign(x, 1),
            "Vector.full": lambda: Vector.full(4000, 1),
        }
    for name, call in calls.items():
        with pytest.raises(NotEnoughMemory, match=rf"^{name}: .* needs about .* in this test"):
            call()
    room(1 << 30)
    assert ewise_add(x, y, plus).nvals == 3


def test_errors_for_want_of_memory_have_a_name(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, frontier = Matrix.from_edges([0, 1], [1, 0], [2.0, 3.0]), Vector.from_entries([0], [1.0], 2)
    calls: dict[str, tuple[str, Callable[[], object]]] = {
        "vxm": ("vxm", lambda: vxm(frontier, graph, plus_times)),
        "mxv": ("mxv", lambda: mxv(graph, frontier, plus_times)),
        "mxm": ("mxm", lambda: mxm(graph, graph, plus_times)),
        "update": ("merge", lambda: update(frontier, frontier)),
        "ewise_add": ("ewise_add", lambda: ewise_add(frontier, frontier, plus)),
    }

    def fails(*arguments: object) -> None:
        raise MemoryError("Unable to allocate 8.00 TiB")

    for name, (method, call) in calls.items():
        with monkeypatch.context() as patched:
            patched.setattr(graph.backend, method, fails)
            said = rf"^{name}: out of memory: Unable to allocate 8.00 TiB; .* GB are free"
            with pytest.raises(NotEnoughMemory, match=said):
                call()


def test_a_name_is_given_once() -> None:
    @naming_memory_errors
    def inner() -> None:
        raise MemoryError

    @naming_memory_errors
    def outer() -> None:
        inner()

    qualified = "test_a_name_is_given_once.<locals>."
    with pytest.raises(NotEnoughMemory, match=rf"^{qualified}outer: {qualified}inner: out of memory; "):
        outer()


def test_a_full_vector_of_any_size_where_one_value_is_stored_once() -> None:
    if why_not("suitesparse"):
        pytest.skip("not installed")
    v = Vector.full(2**40, 3, backend="suitesparse")
    assert v.nvals == 2**40
    assert (v.get(7), v.get(2**40 - 1)) == (3, 3)
    with pytest.raises(NotEnoughMemory, match=r"^to_entries: a copy of the entries needs"):
        v.to_entries()
