"""An enum of the protocol as Swift has it."""
from swift import KEYWORDS, NOTICE, camel, documentation, snake


def cases_of(name, proto):
    """The cases of an enum as Swift calls them, with their numbers and places; without that which says nothing."""
    prefix = snake(name.rpartition(".")[2]).upper() + "_"
    return [(camel(value.name.removeprefix(prefix)), value.number, index) for index, value in enumerate(proto.value)
            if not value.name.endswith("_UNSPECIFIED")]


def enumeration(name, proto, comment, comments, option):
    """An enum of the protocol: as one of Swift, or what tells the cases of another module by their numbers."""
    cases = [(case, number, comments[index]) for case, number, index in cases_of(name, proto)]
    if not option["maps"]:
        lines = documentation(comment, last=f"`coffer.v1.{name}`.")
        lines.append(f"package enum {option['swift']}: UInt32, Sendable, CaseIterable, WireChoice {{")
        for case, number, text in cases:
            quoted = f"`{case}`" if case in KEYWORDS else case
            lines += documentation(text, " " * 4) + [f"    case {quoted} = {number}"]
        return "\n".join([NOTICE, ""] + lines + ["}", ""])
    lines = [NOTICE, "", "internal import CofferModel", ""]
    lines += [f"/// By the numbers of `coffer.v1.{name}`.", f"extension {option['swift']}: WireChoice {{"]
    lines += ["    init?(wire: UInt32) {", "        switch wire {"]
    lines += [f"        case {number}: self = .{case}" for case, number, _ in cases]
    lines += ["        default: return nil", "        }", "    }", "", "    var wire: UInt32 {", "        switch self {"]
    lines += [f"        case .{case}: {number}" for case, number, _ in cases]
    return "\n".join(lines + ["        }", "    }", "}", ""])
