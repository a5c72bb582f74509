"""A PTX kernel as an LLVM function that runs one thread of it for a while.

Registers are slots of the thread's state, so that a thread can stop before any access to memory and go on
later: `step` runs it until it has made so many accesses, waits at a barrier, or has ended. Each access is
first shown to `ACCESS` (`runtime.py`), which checks it and says where the memory is.
"""

import re
import struct
from collections.abc import Callable
from typing import Any

from llvmlite import ir

from tests.cuda.emulator.ptx import WIDTHS, Instruction, Kernel

ACCESS = "ptx_access"
RUNNING, AT_BARRIER, ENDED, FAILED = range(4)

# Slots of a thread's state, and of what all threads of a launch share.
PC, BARRIER, TID, CTAID, FIRST_REGISTER = range(5)
NTID, NCTAID, PARAMETERS, CONTEXT = range(4)

# How an access is described to ACCESS, beside its size in the lowest byte.
WRITES, IS_ATOMIC, IS_SHARED, POINT_SHIFT = 1 << 8, 1 << 9, 1 << 10, 16

I1, I8, I32, I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))
SPECIAL = {"%tid.x": TID, "%ctaid.x": CTAID, "%ntid.x": NTID, "%nctaid.x": NCTAID}
OF_LAUNCH = ("%ntid.x", "%nctaid.x")

COMPARISONS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "lo": "<", "ls": "<=", "hi": ">", "hs": ">=",
}  # fmt: skip
ROUNDING = {"rmi": "floor", "rpi": "ceil", "rzi": "trunc", "rni": "rint"}


class UnknownInstructionError(NotImplementedError):
    """An instruction that no kernel had so far."""


def slot_count(kernel: Kernel) -> int:
    """How many slots the state of a thread has."""
    return FIRST_REGISTER + len(kernel.registers)


def lower(kernel: Kernel, constants: dict[str, int]) -> tuple[str, list[str]]:
    """The LLVM text of `step`, and the PTX text of each point at which a thread may stop.

    `constants` are the addresses of the kernel's constants.
    """
    lowering = _Lowering(kernel, constants)
    return str(lowering.module), lowering.points


class _Lowering:
    def __init__(self, kernel: Kernel, constants: dict[str, int]) -> None:
        self.kernel = kernel
        self.constants = constants
        self.module = ir.Module("ptx")
        words = ir.PointerType(I64)
        self.access = ir.Function(self.module, ir.FunctionType(I64, [I64] * 5), ACCESS)
        step = ir.Function(self.module, ir.FunctionType(I64, [words, words, I64]), "step")
        self.thread, self.launch, _ = step.args
        self.thread.add_attribute("noalias")
        self.slots = {name: FIRST_REGISTER + k for k, name in enumerate(kernel.registers)}
        offsets, at = {}, 0
        for name, kind in kernel.parameters.items():
            size = WIDTHS[kind] // 8
            at = -(-at // size) * size
            offsets[name] = at
            at += size
        self.offsets = offsets
        self.points: list[str] = ["the beginning"]
        self.function = step
        self.entry = step.append_basic_block("entry")
        self.ir = ir.IRBuilder(self.entry)
        self.left = self.ir.alloca(I64)
        self.ir.store(step.args[2], self.left)
        begin = step.append_basic_block("begin")
        pc = self.ir.load(self._slot(PC))
        broken = step.append_basic_block("broken")
        self.resume = self.ir.switch(pc, broken)
        self.resume.add_case(I64(0), begin)
        ir.IRBuilder(broken).ret(I64(FAILED))
        self.labels = {x: step.append_basic_block(x) for x in kernel.code if isinstance(x, str)}
        self.ir = ir.IRBuilder(begin)
        for piece in kernel.code:
            if isinstance(piece, str):
                self._fall_into(self.labels[piece])
            else:
                self._instruction(piece)
        if not self._block.is_terminated:
            self.ir.ret(I64(ENDED))

    # Blocks

    @property
    def _block(self) -> Any:
        return self.ir.block

    def _fall_into(self, block: Any) -> None:
        if not self._block.is_terminated:
            self.ir.branch(block)
        self.ir.position_at_end(block)

    def _new(self) -> Any:
        return self.function.append_basic_block()

    def _instruction(self, given: Instruction) -> None:
        if self._block.is_terminated:  # what follows a jump, and has no label, is never reached
            self.ir.position_at_end(self._new())
        if not given.guard:
            self._emit(given)
            return
        does, after = self._new(), self._new()
        holds = self.ir.icmp_unsigned(
            "!=" if not given.negated else "==", self._read(given.guard), I1(0)
        )
        self.ir.cbranch(holds, does, after)
        self.ir.position_at_end(does)
        self._emit(given)
        self._fall_into(after)

    def _emit(self, given: Instruction) -> None:
        emit: Callable[[Instruction], None] | None = getattr(self, f"_{given.parts[0]}", None)
        if emit is None:
            raise UnknownInstructionError(given.text)
        emit(given)

    # Values

    def _slot(self, number: int, of: Any = None) -> Any:
        return self.ir.gep(of or self.thread, [I64(number)])

    def _typed_slot(self, name: str, kind: Any) -> Any:
        return self.ir.bitcast(self._slot(self.slots[name]), ir.PointerType(kind))

    def _own_type(self, name: str) -> Any:
        return _type(self.kernel.registers[name])

    def _read(self, name: str) -> Any:
        kind = self._own_type(name)
        if kind == I1:
            return self.ir.trunc(self.ir.load(self._typed_slot(name, I8)), I1)
        return self.ir.load(self._typed_slot(name, kind))

    def _value(self, operand: str, kind: str) -> Any:
        """An operand as a value of a PTX type."""
        wanted = _type(kind)
        if operand in self.slots:
            return _as(self.ir, self._read(operand), wanted)
        if operand in SPECIAL:
            found = self.ir.load(
                self._slot(SPECIAL[operand], self.launch if operand in OF_LAUNCH else self.thread)
            )
            return _as(self.ir, found, wanted)
        if operand in self.kernel.shared:
            return _as(self.ir, I64(self.kernel.shared[operand]), wanted)
        if operand in self.kernel.constants:
            return _as(self.ir, I64(self.constants[operand]), wanted)
        return wanted(_number(operand, kind))

    def _write(self, name: str, value: Any, *, signed: bool = False) -> None:
        """Set a register; a narrower number is widened by its sign, if it has one."""
        kind = self._own_type(name)
        if kind == I1:
            self.ir.store(self.ir.zext(_as(self.ir, value, I1), I8), self._typed_slot(name, I8))
            return
        self.ir.store(_as(self.ir, value, kind, signed=signed), self._typed_slot(name, kind))

    # Memory

    def _stop_point(self, text: str) -> int:
        """A place where another thread may go on; returns its number, and goes on behind it."""
        number = len(self.points)
        self.points.append(text)
        stops, goes = self._new(), self._new()
        left = self.ir.sub(self.ir.load(self.left), I64(1))
        self.ir.store(left, self.left)
        self.ir.cbranch(self.ir.icmp_signed("<", left, I64(0)), stops, goes)
        self.ir.position_at_end(stops)
        self.ir.store(I64(number), self._slot(PC))
        self.ir.ret(I64(RUNNING))
        self.resume.add_case(I64(number), goes)
        self.ir.position_at_end(goes)
        return number

    def _place(self, given: Instruction, address: str, kind: str, flags: int) -> Any:
        """Where the memory of this address is, as a pointer; the thread ends here if it may not."""
        if "shared" in given.parts:
            flags |= IS_SHARED
        elif not {"global", "const"} & set(given.parts):
            raise UnknownInstructionError(given.text)
        point = self._stop_point(given.text)
        base, offset = _address(address)
        wanted = self.ir.add(self._value(base, "u64"), I64(offset))
        described = flags | WIDTHS[kind] // 8 | point << POINT_SHIFT
        context = self.ir.load(self._slot(CONTEXT, self.launch))
        who = [self.ir.load(self._slot(at)) for at in (CTAID, TID)]
        place = self.ir.call(self.access, [context, *who, wanted, I64(described)])
        fails, goes = self._new(), self._new()
        self.ir.cbranch(self.ir.icmp_signed("==", place, I64(0)), fails, goes)
        self.ir.position_at_end(fails)
        self.ir.ret(I64(FAILED))
        self.ir.position_at_end(goes)
        return self.ir.inttoptr(place, ir.PointerType(_type(kind)))

    def _ld(self, given: Instruction) -> None:
        kind = given.parts[-1]
        target, address = given.operands
        if "param" in given.parts:
            base, offset = _address(address)
            parameters = self.ir.load(self._slot(PARAMETERS, self.launch))
            at = self.ir.add(parameters, I64(self.offsets[base] + offset))
            place = self.ir.inttoptr(at, ir.PointerType(_type(kind)))
        else:
            place = self._place(given, address, kind, 0)
        self._write(target, self.ir.load(place), signed=kind[0] == "s")

    def _st(self, given: Instruction) -> None:
        kind = given.parts[-1]
        address, source = given.operands
        place = self._place(given, address, kind, WRITES)
        self.ir.store(self._value(source, kind), place)

    def _atom(self, given: Instruction) -> None:
        *_, operation, kind = given.parts
        target, address, *operands = given.operands
        place = self._place(given, address, kind, WRITES | IS_ATOMIC)
        before = self.ir.load(place)
        x = self._value(operands[0], kind)
        if operation == "cas":
            equal = self.ir.icmp_unsigned("==", before, x)
            after = self.ir.select(equal, self._value(operands[1], kind), before)
        elif operation == "exch":
            after = x
        else:
            after = self._combined(operation, kind, before, x, given)
        self.ir.store(after, place)
        self._write(target, before)

    def _bar(self, given: Instruction) -> None:
        number = len(self.points)
        self.points.append(given.text)
        after = self._new()
        reduces = "red" in given.parts
        flag = self._value(given.operands[2], "pred") if reduces else I1(0)
        self.ir.store(self.ir.zext(flag, I64), self._slot(BARRIER))
        self.ir.store(I64(number), self._slot(PC))
        self.ir.ret(I64(AT_BARRIER))
        self.resume.add_case(I64(number), after)
        self.ir.position_at_end(after)
        if not reduces:
            return
        # What the runtime leaves there: how many of so many threads had the flag set.
        found = self.ir.load(self._slot(BARRIER))
        count, present = self.ir.and_(found, I64(0xFFFF)), self.ir.lshr(found, I64(16))
        results = {
            "popc": lambda: count,
            "or": lambda: self.ir.icmp_unsigned("!=", count, I64(0)),
            "and": lambda: self.ir.icmp_unsigned("==", count, present),
        }
        self._write(given.operands[0], results[given.parts[2]]())

    # Jumps

    def _bra(self, given: Instruction) -> None:
        self.ir.branch(self.labels[given.operands[0]])

    def _ret(self, given: Instruction) -> None:
        self.ir.ret(I64(ENDED))

    _exit = _ret

    # Moving and converting

    def _mov(self, given: Instruction) -> None:
        target, source = given.operands
        if target.startswith("{"):  # the parts of a register, the lowest first
            parts = _parts(target)
            whole = self._value(source, given.parts[-1])
            width = whole.type.width // len(parts)
            for k, part in enumerate(parts):
                shifted = self.ir.lshr(whole, whole.type(k * width))
                self._write(part, self.ir.trunc(shifted, ir.IntType(width)))
        elif source.startswith("{"):
            parts = _parts(source)
            wide = _type(given.parts[-1])
            width = wide.width // len(parts)
            whole = wide(0)
            for k, part in enumerate(parts):
                value = self.ir.zext(self._value(part, f"b{width}"), wide)
                whole = self.ir.or_(whole, self.ir.shl(value, wide(k * width)))
            self._write(target, whole)
        else:
            self._write(target, self._value(source, given.parts[-1]))

    def _cvta(self, given: Instruction) -> None:
        if not {"global", "const"} & set(given.parts):  # a generic address of these is the same
            raise UnknownInstructionError(given.text)
        self._mov(given)

    def _cvt(self, given: Instruction) -> None:
        *options, to, source_kind = given.parts[1:]
        target, source = given.operands
        x = self._value(source, source_kind)
        to_float, from_float = to[0] == "f", source_kind[0] == "f"
        for name in ROUNDING.keys() & options:
            x = self._math(ROUNDING[name], x)
        if from_float and to_float:
            widens = WIDTHS[to] > WIDTHS[source_kind]
            same = to == source_kind
            x = x if same else (self.ir.fpext if widens else self.ir.fptrunc)(x, _type(to))
        elif from_float:
            x = self._saturated(x, to)
        elif to_float:
            x = (self.ir.sitofp if source_kind[0] == "s" else self.ir.uitofp)(x, _type(to))
        else:
            x = _as(self.ir, x, _type(to), signed=source_kind[0] == "s")
        self._write(target, x, signed=to[0] == "s")

    def _saturated(self, x: Any, kind: str) -> Any:
        """A float as an integer: the nearest one of its type, and 0 for what is no number."""
        name = "fptosi" if kind[0] == "s" else "fptoui"
        wanted = _type(kind)
        signature = ir.FunctionType(wanted, [x.type])
        suffix = f"i{wanted.width}.{'f64' if x.type == ir.DoubleType() else 'f32'}"
        return self.ir.call(self._declared(f"llvm.{name}.sat.{suffix}", signature), [x])

    def _selp(self, given: Instruction) -> None:
        target, yes, no, which = given.operands
        kind = given.parts[-1]
        chosen = self.ir.select(
            self._value(which, "pred"), self._value(yes, kind), self._value(no, kind)
        )
        self._write(target, chosen)

    def _setp(self, given: Instruction) -> None:
        comparison, kind = given.parts[1], given.parts[-1]
        target, left, right = given.operands
        x, y = self._value(left, kind), self._value(right, kind)
        if kind[0] != "f":
            compare = self.ir.icmp_signed if kind[0] == "s" else self.ir.icmp_unsigned
            found = compare(COMPARISONS[comparison], x, y)
        elif comparison in ("num", "nan"):
            test = self.ir.fcmp_ordered if comparison == "num" else self.ir.fcmp_unordered
            found = test("ord" if comparison == "num" else "uno", x, y)
        elif comparison in COMPARISONS:
            found = self.ir.fcmp_ordered(COMPARISONS[comparison], x, y)
        else:  # "ltu" and so on hold for what is no number
            found = self.ir.fcmp_unordered(COMPARISONS[comparison[:-1]], x, y)
        self._write(target, found)

    # Arithmetic

    def _two(self, given: Instruction) -> None:
        target, left, right = given.operands
        kind = given.parts[-1]
        operation = given.parts[0]
        x, y = self._value(left, kind), self._value(right, kind)
        self._write(target, self._combined(operation, kind, x, y, given), signed=kind[0] == "s")

    _add = _sub = _and = _or = _xor = _min = _max = _div = _rem = _two

    def _mul(self, given: Instruction) -> None:
        kind = given.parts[-1]
        target, left, right = given.operands
        x, y = self._value(left, kind), self._value(right, kind)
        if kind[0] == "f":
            self._write(target, self.ir.fmul(x, y))
            return
        self._write(target, self._product(given.parts[1], kind, x, y), signed=kind[0] == "s")

    def _product(self, which: str, kind: str, x: Any, y: Any) -> Any:
        """The lower half of a product, the upper one, or all of it."""
        if which == "lo":
            return self.ir.mul(x, y)
        width = WIDTHS[kind]
        wide = ir.IntType(2 * width)
        extend = self.ir.sext if kind[0] == "s" else self.ir.zext
        product = self.ir.mul(extend(x, wide), extend(y, wide))
        return product if which == "wide" else self.ir.trunc(self.ir.lshr(product, wide(width)), x.type)

    def _mad(self, given: Instruction) -> None:
        kind = given.parts[-1]
        target, left, right, added = given.operands
        product = self._product(given.parts[1], kind, self._value(left, kind), self._value(right, kind))
        wide = f"{kind[0]}{product.type.width}"
        self._write(target, self.ir.add(product, self._value(added, wide)), signed=kind[0] == "s")

    def _fma(self, given: Instruction) -> None:
        kind = given.parts[-1]
        target, *operands = given.operands
        x, y, z = (self._value(operand, kind) for operand in operands)
        self._write(target, self.ir.fma(x, y, z))

    def _neg(self, given: Instruction) -> None:
        target, source = given.operands
        x = self._value(source, given.parts[-1])
        self._write(target, self.ir.fneg(x) if given.parts[-1][0] == "f" else self.ir.neg(x))

    def _abs(self, given: Instruction) -> None:
        target, source = given.operands
        kind = given.parts[-1]
        x = self._value(source, kind)
        if kind[0] == "f":
            self._write(target, self._math("fabs", x))
        else:
            negative = self.ir.icmp_signed("<", x, x.type(0))
            self._write(target, self.ir.select(negative, self.ir.neg(x), x))

    def _not(self, given: Instruction) -> None:
        target, source = given.operands
        self._write(target, self.ir.not_(self._value(source, given.parts[-1])))

    def _copysign(self, given: Instruction) -> None:
        target, sign, size = given.operands
        kind = given.parts[-1]
        self._write(target, self._math("copysign", self._value(size, kind), self._value(sign, kind)))

    def _sqrt(self, given: Instruction) -> None:
        target, source = given.operands
        self._write(target, self._math("sqrt", self._value(source, given.parts[-1])))

    def _ex2(self, given: Instruction) -> None:
        target, source = given.operands
        self._write(target, self._math("exp2", self._value(source, given.parts[-1])))

    def _rcp(self, given: Instruction) -> None:
        target, source = given.operands
        x = self._value(source, given.parts[-1])
        self._write(target, self.ir.fdiv(x.type(1.0), x))

    def _rsqrt(self, given: Instruction) -> None:
        target, source = given.operands
        x = self._value(source, given.parts[-1])
        self._write(target, self.ir.fdiv(x.type(1.0), self._math("sqrt", x)))

    def _popc(self, given: Instruction) -> None:
        target, source = given.operands
        self._write(target, self.ir.ctpop(self._value(source, given.parts[-1])))

    def _clz(self, given: Instruction) -> None:
        target, source = given.operands
        self._write(target, self.ir.ctlz(self._value(source, given.parts[-1]), I1(0)))

    def _bfi(self, given: Instruction) -> None:
        """Some bits of a number, from `first` on, are those of another one; first and count are numbers."""
        target, inserted, whole, first, count = given.operands
        kind = given.parts[-1]
        mask = (1 << int(count)) - 1 << int(first)
        y = self._value(whole, kind)
        shifted = self.ir.shl(self._value(inserted, kind), y.type(int(first)))
        kept = self.ir.and_(y, y.type(~mask))
        self._write(target, self.ir.or_(kept, self.ir.and_(shifted, y.type(mask))))

    def _shl(self, given: Instruction) -> None:
        self._shift(given, self.ir.shl, lambda x: x.type(0))

    def _shr(self, given: Instruction) -> None:
        if given.parts[-1][0] == "s":
            self._shift(given, self.ir.ashr, lambda x: self.ir.ashr(x, x.type(x.type.width - 1)))
        else:
            self._shift(given, self.ir.lshr, lambda x: x.type(0))

    def _shift(self, given: Instruction, shift: Any, beyond: Any) -> None:
        """Shifts by more bits than there are give what the last bit shifted in would."""
        target, source, amount = given.operands
        x = self._value(source, given.parts[-1])
        by = _as(self.ir, self._value(amount, "u32"), x.type)
        is_far = self.ir.icmp_unsigned(">=", by, x.type(x.type.width))
        near = self.ir.select(is_far, x.type(0), by)
        self._write(target, self.ir.select(is_far, beyond(x), shift(x, near)))

    def _combined(self, operation: str, kind: str, x: Any, y: Any, given: Instruction) -> Any:
        is_float, is_signed = kind[0] == "f", kind[0] == "s"
        if operation in ("and", "or", "xor"):
            return {"and": self.ir.and_, "or": self.ir.or_, "xor": self.ir.xor}[operation](x, y)
        if operation in ("add", "sub"):
            names = {"add": (self.ir.add, self.ir.fadd), "sub": (self.ir.sub, self.ir.fsub)}
            return names[operation][is_float](x, y)
        if operation in ("min", "max"):
            if is_float:  # of a number and none, the number
                return self._math("minnum" if operation == "min" else "maxnum", x, y)
            compare = self.ir.icmp_signed if is_signed else self.ir.icmp_unsigned
            return self.ir.select(compare("<" if operation == "min" else ">", x, y), x, y)
        if operation == "div" and is_float:
            return self.ir.fdiv(x, y)
        if operation in ("div", "rem") and not is_float:
            return self._divided(operation, x, y, signed=is_signed)
        raise UnknownInstructionError(given.text)

    def _divided(self, operation: str, x: Any, y: Any, *, signed: bool) -> Any:
        """Division that never traps: by zero it gives all ones, and the smallest by -1 wraps around."""
        one, ones = x.type(1), x.type(-1)
        is_zero = self.ir.icmp_unsigned("==", y, x.type(0))
        unsafe = is_zero
        if signed:
            unsafe = self.ir.or_(is_zero, self.ir.icmp_unsigned("==", y, ones))
        safe = self.ir.select(unsafe, one, y)
        if operation == "div":
            found = self.ir.sdiv(x, safe) if signed else self.ir.udiv(x, safe)
            if signed:
                found = self.ir.select(unsafe, self.ir.neg(x), found)
        else:
            found = self.ir.srem(x, safe) if signed else self.ir.urem(x, safe)
        return self.ir.select(is_zero, ones, found)

    def _math(self, name: str, *operands: Any) -> Any:
        kind = operands[0].type
        suffix = "f64" if kind == ir.DoubleType() else "f32"
        signature = ir.FunctionType(kind, [kind] * len(operands))
        return self.ir.call(self._declared(f"llvm.{name}.{suffix}", signature), operands)

    def _declared(self, name: str, signature: Any) -> Any:
        return self.module.globals.get(name) or ir.Function(self.module, signature, name)


def _type(kind: str) -> Any:
    if kind[0] == "f":
        return ir.DoubleType() if kind == "f64" else ir.FloatType()
    return ir.IntType(WIDTHS[kind])


def _as(builder: Any, value: Any, kind: Any, *, signed: bool = False) -> Any:
    """The same bits as another type; of more bits by zeros or the sign, of fewer by the lowest."""
    if value.type == kind:
        return value
    if not isinstance(value.type, ir.IntType):
        value = builder.bitcast(value, ir.IntType(64 if value.type == ir.DoubleType() else 32))
    if not isinstance(kind, ir.IntType):
        bits = ir.IntType(64 if kind == ir.DoubleType() else 32)
        return builder.bitcast(_as(builder, value, bits), kind)
    if value.type.width > kind.width:
        return builder.trunc(value, kind)
    if value.type.width < kind.width:
        return (builder.sext if signed else builder.zext)(value, kind)
    return value


def _parts(operand: str) -> list[str]:
    """{%r1, %r2} as two registers."""
    return [part.strip() for part in operand[1:-1].split(",")]


def _address(operand: str) -> tuple[str, int]:
    """[%rd4+-8] as a register and a number of bytes."""
    found = re.fullmatch(r"\[([%\w$]+)(?:\+(-?\d+))?\]", operand)
    if found is None:
        raise UnknownInstructionError(operand)
    return found[1], int(found[2] or 0)


def _number(text: str, kind: str) -> int | float:
    if text.startswith("0d"):
        return float(struct.unpack(">d", bytes.fromhex(text[2:]))[0])
    if text.startswith("0f"):
        return float(struct.unpack(">f", bytes.fromhex(text[2:]))[0])
    number = int(text, 0)
    return number & 1 if kind == "pred" else number
