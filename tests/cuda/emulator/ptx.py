"""PTX text, as NVVM writes it for one kernel, taken apart into instructions."""

import re
from dataclasses import dataclass, field

WIDTHS = {"pred": 1} | {f"{kind}{bits}": bits for kind in "busf" for bits in (8, 16, 32, 64)}


@dataclass(frozen=True)
class Instruction:
    """One instruction: `@!%p1 st.global.u32 [%rd4+8], %r2;` has the guard (%p1, negated)."""

    parts: tuple[str, ...]  # the opcode, cut at its dots
    operands: tuple[str, ...]
    guard: str = ""
    negated: bool = False
    text: str = ""


@dataclass
class Kernel:
    """The one entry of a PTX module.

    `code` holds instructions, and labels as text. Registers of an inner scope have a name of their own.
    """

    name: str
    parameters: dict[str, str]  # name to type, in order
    shared: dict[str, int]  # name to offset
    shared_bytes: int
    most_threads: int = 1024  # of a block: the launch bounds, or what hardware allows
    constants: dict[str, bytes] = field(default_factory=dict)
    registers: dict[str, str] = field(default_factory=dict)
    code: list[Instruction | str] = field(default_factory=list)


def parse(text: str) -> Kernel:
    """The kernel of a module that has just one."""
    shared, used = {}, 0
    for alignment, name, size in re.findall(r"\.shared \.align (\d+) \.b8 ([\w$]+)\[(\d+)\]", text):
        used = -(-used // int(alignment)) * int(alignment)
        shared[name] = used
        used += int(size)
    entry = re.search(r"\.entry (\S+?)\(\s*(.*?)\)[^{]*\{", text, re.DOTALL)
    if entry is None:
        raise ValueError("no kernel in this PTX")
    kinds = re.findall(r"\.param \.(\w+) (\w+)", entry[2])
    kernel = Kernel(entry[1], {name: kind for kind, name in kinds}, shared, used)
    if bound := re.search(r"\.maxntid (\d+)", entry[0]):
        kernel.most_threads = int(bound[1])
    for name, size, given in re.findall(
        r"\.const \.align \d+ \.b8 ([\w$]+)\[(\d+)\] = \{(.*?)\};", text
    ):
        kernel.constants[name] = bytes(map(int, given.split(","))).ljust(int(size), b"\0")
    _parse_body(kernel, text[entry.end() : text.rindex("}")])
    return kernel


def _parse_body(kernel: Kernel, body: str) -> None:
    scopes: list[dict[str, str]] = [{}]
    count = 0
    for statement in _statements(body):
        if statement == "{":
            count += 1
            scopes.append({})
        elif statement == "}":
            scopes.pop()
        elif statement.startswith(".reg"):
            _declare(kernel, statement, scopes[-1], f"_{count}" if len(scopes) > 1 else "")
        elif statement.endswith(":"):
            kernel.code.append(statement[:-1])
        elif not statement.startswith("."):
            kernel.code.append(_instruction(statement, scopes))


def _statements(body: str) -> list[str]:
    """Statements without comments: instructions, labels, declarations and braces."""
    text = re.sub(r"//[^\n]*", "", body)
    # Braces of a scope stand alone; those around the parts of an operand stand within a statement.
    found = re.findall(r"\s*([{}]|\$?[\w$]+:|[^\s{};:][^;:]*;)", text)
    return [piece.removesuffix(";").strip() for piece in found]


def _declare(kernel: Kernel, statement: str, scope: dict[str, str], suffix: str) -> None:
    _, kind, names = statement.split(None, 2)
    for name in names.split(","):
        ranged = re.fullmatch(r"(%?\w+)<(\d+)>", name.strip())
        if ranged:
            kernel.registers.update({f"{ranged[1]}{k}": kind[1:] for k in range(int(ranged[2]))})
        else:
            scope[name.strip()] = name.strip() + suffix
            kernel.registers[name.strip() + suffix] = kind[1:]


def _instruction(statement: str, scopes: list[dict[str, str]]) -> Instruction:
    guarded = re.match(r"@(!?)(%?\w+)\s+", statement)
    rest = statement[guarded.end() :] if guarded else statement
    opcode, _, given = rest.partition(" ") if " " in rest else rest.partition("\t")
    opcode, given = opcode.strip(), given.strip()
    operands = tuple(
        _visible(x.strip(), scopes) for x in re.split(r",(?![^\[{]*[\]}])", given) if x.strip()
    )
    return Instruction(
        tuple(opcode.split(".")),
        operands,
        _visible(guarded[2], scopes) if guarded else "",
        bool(guarded and guarded[1]),
        " ".join(rest.split()),
    )


def _visible(operand: str, scopes: list[dict[str, str]]) -> str:
    """The operand with registers by the names that they have in the innermost scope."""

    def renamed(found: re.Match[str]) -> str:
        return next((scope[found[0]] for scope in reversed(scopes) if found[0] in scope), found[0])

    return re.sub(r"%?\w+", renamed, operand)
