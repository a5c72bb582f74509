"""Storage that expressions hold: what is written to in place meanwhile is copied first."""

from typing import TYPE_CHECKING
from weakref import ref

if TYPE_CHECKING:
    from anypair.backends.base import Storage
    from anypair.handle import Handle

#: Who holds a storage, by its address: as long as that lives, no other one has the address.
_holders: "dict[int, ref[Handle]]" = {}


def holder_of(storage: "Storage") -> "Handle | None":
    """The handle by which expressions hold this storage, if one does."""
    known = _holders.get(id(storage))
    return None if known is None else known()


def hold(handle: "Handle") -> None:
    """Have the storage of this handle held for as long as the handle lives; nobody writes through it."""
    address = id(handle.storage)

    def forget(gone: "ref[Handle]") -> None:
        if _holders.get(address) is gone:
            del _holders[address]

    _holders[address] = ref(handle, forget)


def snapshot(x: "Handle") -> "Handle":
    """A handle of what x is now, whatever is written to x later."""
    if (holder := holder_of(x.storage)) is None:
        holder = x.with_same_storage()
        hold(holder)
    return holder


def make_writable(x: "Handle") -> None:
    """Give x a copy of its storage if an expression holds that."""
    if _holders and holder_of(x.storage) is not None:
        x.storage = x.backend.cast(x.storage, x.dtype)
