"""Makes the Swift of the messages that an options file names; Protos/generate calls it.

    messages.py DESCRIPTORS OPTIONS FOLDER

DESCRIPTORS is what protoc makes of the .proto files, with their comments; FOLDER gets a file for each message.
What the options say is told at their head.
"""
import re
import sys
from pathlib import Path

from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Proto
from google.protobuf.descriptor_pb2 import FileDescriptorSet

WIDTH = 110
NOTICE = "// Made by Protos/generate: do not edit."
NUMBERS = {
    Proto.TYPE_DOUBLE: "Double", Proto.TYPE_FLOAT: "Float", Proto.TYPE_INT64: "Int64", Proto.TYPE_UINT64: "UInt64",
    Proto.TYPE_INT32: "Int32", Proto.TYPE_FIXED64: "UInt64", Proto.TYPE_FIXED32: "UInt32", Proto.TYPE_UINT32: "UInt32",
    Proto.TYPE_SFIXED32: "Int32", Proto.TYPE_SFIXED64: "Int64", Proto.TYPE_SINT32: "Int32", Proto.TYPE_SINT64: "Int64",
}
FIXED = {
    Proto.TYPE_DOUBLE: 8, Proto.TYPE_FIXED64: 8, Proto.TYPE_SFIXED64: 8, Proto.TYPE_FLOAT: 4, Proto.TYPE_FIXED32: 4,
    Proto.TYPE_SFIXED32: 4,
}
KEYWORDS = ("import", "default", "protocol", "repeat")
LIMITS = ("small", "request", "model", "container", "rows")


def fail(text):
    sys.exit(f"Protos/messages.py: {text}")


def camel(name):
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


# Text


def words(text, indent, prefix):
    """The text in lines that are as long as they may be."""
    lines, line = [], ""
    for word in text.split():
        if line and len(indent) + len(prefix) + len(line) + 1 + len(word) > WIDTH:
            lines.append(f"{indent}{prefix}{line}")
            line = word
        else:
            line = f"{line} {word}" if line else word
    return lines + [f"{indent}{prefix}{line}"]


def documentation(comment, indent="", last=""):
    """A documentation comment: the first sentence, what follows it, and `last`, each by itself."""
    comment = " ".join(comment.split())
    comment = comment[:1].upper() + comment[1:]
    if not comment.endswith((".", "?", "!")):
        comment += "."
    first, _, rest = comment.partition(". ")
    paragraphs = [first + "."] + [rest] if rest else [comment]
    lines = []
    for paragraph in paragraphs + ([last] if last else []):
        lines += ([f"{indent}///"] if lines else []) + words(paragraph, indent, "/// ")
    return lines


def call(head, arguments, tail, indent):
    """A call or a signature; the arguments go to lines of their own where they do not fit behind the head."""
    whole = f"{indent}{head}{', '.join(arguments)}{tail}"
    if len(whole) <= WIDTH:
        return [whole]
    lines, line = [f"{indent}{head}"], ""
    own = tail[1:2] in (" ", ".", "?")  # What follows the parenthesis stands with it on a line.
    for index, argument in enumerate(arguments):
        end = "," if index + 1 < len(arguments) else "" if own else tail
        if line and len(indent) + 4 + len(line) + 1 + len(argument) + len(end) > WIDTH:
            lines.append(f"{indent}    {line}")
            line = argument + end
        else:
            line = f"{line} {argument}{end}" if line else argument + end
    lines.append(f"{indent}    {line}")
    return lines + ([f"{indent}{tail}"] if own else [])


# Options


class Options:
    """What the options file says: declarations by the names of the protocol."""

    def __init__(self, path):
        self.messages, self.enums, self.others, self.first_cases = {}, {}, {}, {}
        fields = None
        for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
            self.place = f"{path}:{number}"
            text = line.split("#")[0].rstrip()
            if not text:
                continue
            if text.startswith(" "):
                if fields is None:
                    fail(f"{self.place}: a field of no message")
                match = re.fullmatch(r"\s+(\w+)(?:\s+(\w+))?(?:\s*:\s*([^=]+?))?(?:\s*=\s*(.+))?", text)
                if not match:
                    fail(f"{self.place}: not a field: {text.strip()}")
                name, swift, kind, default = match.groups()
                fields[name] = {"swift": swift, "kind": kind or "", "default": default, "place": self.place}
                continue
            fields = None
            keyword, name, *rest = text.split()
            if keyword == "message":
                fields = {}
                self.messages[name] = {"lines": fields, "place": self.place, **self.flags(rest)}
            elif keyword == "enum":
                self.enums[name] = {"swift": rest[-1], "maps": rest[0] == "maps"}
            elif keyword == "other":
                _, _, swift = rest[0].rpartition("CofferModel.")
                wrapper = rest[2] if rest[1:2] == ["in"] else None
                self.others[name] = {"swift": swift, "isOutside": rest[0] != swift, "wrapper": wrapper}
            else:
                fail(f"{self.place}: neither message nor enum nor other: {keyword}")

    def flags(self, rest):
        flags = {"limit": None, "later": None, "set": None, "as": None}
        rest = list(rest)
        while rest:
            word = rest.pop(0)
            if word in LIMITS:
                flags["limit"] = word
            elif word in ("later", "set", "as") and rest:
                flags[word] = rest.pop(0)
            elif word == "maps" and rest:
                flags["as"], flags["maps"] = rest.pop(0), True
            elif word in ("checked", "hashable", "fields"):
                flags[word] = True
            else:
                fail(f"{self.place}: unknown word '{word}'")
        return flags


# Messages


class Field:
    """A field as Swift has it, by what the protocol and the options say of it."""

    def __init__(self, message, proto, comment, option, options):
        self.name, self.number, self.comment, self.type = proto.name, proto.number, comment, proto.type
        self.whole = f'"coffer.v1.{message}.{proto.name}"'
        self.c = f"c.`{proto.name}`" if proto.name in KEYWORDS else f"c.{proto.name}"
        self.swift = option.get("swift") or camel(proto.name)
        self.default = option.get("default")
        self.isRepeated = proto.label == Proto.LABEL_REPEATED
        self.place = option.get("place", message)
        kind = option.get("kind", "").split()
        words_with_one = {"max": None, "of": None}
        for word in words_with_one:
            if word in kind:
                index = kind.index(word)
                words_with_one[word] = kind[index + 1]
                del kind[index:index + 2]
        self.maximum = words_with_one["max"]
        self.isOptional = bool(kind) and kind[-1].endswith("?")
        if self.isOptional:
            kind[-1] = kind[-1][:-1]
        self.kind = [word for word in kind if word]
        self.wrapper = None
        kind_name = proto.type_name.rpartition("coffer.v1.")[2]
        if self.type == Proto.TYPE_ENUM:
            enum = options.enums.get(kind_name) or fail(f"{self.place}: the enum {kind_name} is not declared")
            self.c_enum = "Coffer__V1__" + kind_name.replace(".", "__")
            self.base, self.first_case = enum["swift"], options.first_cases[kind_name]
        elif self.type == Proto.TYPE_MESSAGE:
            if kind_name in options.others:
                other = options.others[kind_name]
                self.base, self.wrapper = other["swift"], other["wrapper"]
            elif kind_name in options.messages:
                self.base = options.messages[kind_name]["as"] or kind_name + "Message"
            else:
                fail(f"{self.place}: the message {kind_name} is not declared")
            self.base = words_with_one["of"] or self.base
        elif self.type == Proto.TYPE_BYTES:
            self.kind = self.kind or ["text"]
            known = {"text": "String", "uuid": "UUID", "digest": "[UInt8]", "data": "[UInt8]", "hash": "[UInt8]",
                     "uuids": "[UUID]"}
            self.base = known.get(self.kind[0]) or fail(f"{self.place}: unknown kind '{self.kind[0]}'")
        elif self.type == Proto.TYPE_BOOL:
            self.base = "Bool"
        else:
            self.base = "Int" if self.kind == ["Int"] else NUMBERS[self.type]

    @property
    def swift_type(self):
        if self.isRepeated:
            return f"[{self.base}]"
        if self.type == Proto.TYPE_BYTES and self.base == "[UInt8]":
            return self.base  # None of them are no bytes.
        return self.base + ("?" if self.isOptional else "")

    @property
    def empty(self):
        """What a field is that was left out; None if it must be there."""
        if self.default:
            return self.default
        if self.isRepeated or self.base in ("[UInt8]", "[UUID]"):
            return "[]"
        if self.isOptional:
            return "nil"
        if self.type in (Proto.TYPE_MESSAGE, Proto.TYPE_ENUM) or self.base == "UUID":
            return None
        if self.base == "String":
            return '""'
        if self.base == "Bool":
            return "true" if self.kind == ["not"] else "false"
        return "0"

    def limited(self, arguments, limit):
        return arguments + ([f"limit: Limits.{limit}"] if limit else [])

    def reading(self, declares=False):
        """How it is read of its C form, in lines: into the property, or into a constant that it declares."""
        indent, target, c = " " * 8, f"let {self.swift}: {self.swift_type}" if declares else self.swift, self.c
        limit = "text" if self.kind[1:] == ["long"] else None
        if self.isRepeated:
            count = f"count: c.n_{self.name}"
            if self.type == Proto.TYPE_MESSAGE:
                arguments = self.limited([c, count, f"field: {self.whole}"], self.maximum)
                return call(f"{target} = try unsafe messages(", arguments, ")", indent)
            if self.type == Proto.TYPE_BYTES and self.kind[0] in ("text", "hash"):
                reader = {"text": "texts", "hash": "hashes"}[self.kind[0]]
                arguments = self.limited([c, count, f"field: {self.whole}"], self.maximum)
                return call(f"{target} = try unsafe {reader}(", arguments, ")", indent)
            return call(f"{target} = unsafe Array(", [f"copying: {c}", count], ")", indent)
        if self.type == Proto.TYPE_MESSAGE:
            reader = "optional" if self.isOptional else "required"
            arguments = [c] + ([] if self.isOptional else [self.whole])
            if self.wrapper:
                mark = "?" if self.isOptional else ""
                return call(
                    f"{target} = try unsafe {reader}(", arguments + [f"as: {self.wrapper}.self"],
                    f"){mark}.model", indent)
            return call(f"{target} = try unsafe {reader}(", arguments, ")", indent)
        if self.type == Proto.TYPE_ENUM:
            reader = "optionalChoice" if self.isOptional else "requiredChoice"
            return call(f"{target} = try unsafe {reader}(", [f"{c}.rawValue", self.whole], ")", indent)
        if self.type == Proto.TYPE_BYTES:
            return self.reading_bytes(target, limit, indent)
        if self.base == "Bool":
            return [f"{indent}{target} = unsafe {c} {'==' if self.kind == ['not'] else '!='} 0"]
        if self.base == "Int":
            return [f"{indent}{target} = unsafe Int(clamping: {c})"]
        if self.isOptional:
            return [f"{indent}{target} = unsafe {c} == 0 ? nil : {c}"]
        return [f"{indent}{target} = unsafe {c}"]

    def reading_bytes(self, target, limit, indent):
        kind, c = self.kind[0], self.c
        if kind == "data" and len(self.kind) == 1:
            return [f"{indent}{target} = unsafe {c}.array()"]
        if kind == "data":
            arguments = [self.whole, f"count: {self.kind[1]}"] + (["orNone: true"] if self.isOptional else [])
            return call(f"{target} = try unsafe {c}.array(", arguments, ")", indent)
        if kind == "text" and self.default not in (None, '""'):
            return [
                f"{indent}{target} =", f"{indent}    try unsafe {c}.optionalText({self.whole})",
                f"{indent}    ?? {self.default}"]
        optional = {"text": "optionalText", "uuid": "optionalUUID"}
        reader = optional.get(kind, kind) if self.isOptional else kind
        return call(f"{target} = try unsafe {c}.{reader}(", self.limited([self.whole], limit), ")", indent)

    def case(self):
        """How it is read field by field, in lines; with what is declared before that and said after it."""
        target, before, after = self.swift, [], []
        long = ["limit: Limits.text"] if self.kind[1:] == ["long"] else []
        if self.isRepeated and self.base == "Column":
            read = (f"try {target}.append(", ["field", "from: &reader", self.whole])
        elif self.isRepeated and self.type == Proto.TYPE_MESSAGE:
            read = (f"try {target}.append(", self.limited(["reader.message(field)", self.whole], self.maximum))
        elif self.isRepeated and self.type == Proto.TYPE_BYTES:
            text = f"reader.text({', '.join(['field', self.whole] + long)})"
            read = (f"try {target}.append(", self.limited([text, self.whole], self.maximum or "list"))
        elif self.isRepeated:
            bound = [] if self.type in FIXED else [self.whole, f"limit: Limits.{self.maximum}"]
            read = ("try reader.append(", ["field", f"to: &{target}"] + bound)
        elif self.type == Proto.TYPE_MESSAGE:
            before = [f"var {target}Run = MergedRun()"]
            after = [f"{target} = try reader.message(of: {target}Run{'' if self.isOptional else ', ' + self.whole})"]
            read = (f"unsafe {target}Run.take(", ["try reader.run(field)"])
        elif self.type == Proto.TYPE_ENUM:
            before = [f"var {target}Number: UInt32 = 0"]
            reader = "optionalChoice" if self.isOptional else "requiredChoice"
            after = [f"{target} = try {reader}({target}Number, {self.whole})"]
            read = (f"{target}Number = try reader.number32(", ["field"])
        elif self.kind == ["uuid"] and not self.isOptional:
            before = [f"var {target}Read: UUID?"]
            error = f'.malformed("{self.whole[1:-1]}: absent")'
            after = [f"guard let {target}Read else {{ throw {error} }}", f"{target} = {target}Read"]
            read = (f"{target}Read = try reader.uuid(", ["field", self.whole])
        elif self.type == Proto.TYPE_BYTES:
            reader = {"text": "text", "uuid": "optionalUUID", "uuids": "uuids", "data": "bytes"}[self.kind[0]]
            read = (f"{target} = try reader.{reader}(", ["field"] + ([] if reader == "bytes" else [self.whole]) + long)
        elif self.base == "Bool":
            read = (f"{target} = try {'!' if self.kind == ['not'] else ''}reader.flag(", ["field"])
        elif self.type in FIXED:
            read = (f"{target} = try reader.fixed(", ["field"])
        elif self.base == "Int" and self.type == Proto.TYPE_UINT32:
            read = (f"{target} = Int(", ["try reader.number32(field)"])
        elif self.base == "Int":
            read = (f"{target} = Int(", ["clamping: try reader.number(field)"])
        else:
            read = (f"{target} = try reader.{'number32' if self.base == 'UInt32' else 'number'}(", ["field"])
        lines = call(f"case {self.number}: {read[0]}", read[1], ")", " " * 12)
        if len(lines) > 1:
            lines = [" " * 12 + f"case {self.number}:"] + call(read[0], read[1], ")", " " * 16)
        return lines, before, after

    def writing(self):
        """How it is written field by field."""
        own, number = self.swift, self.number
        if self.isRepeated:
            if self.type == Proto.TYPE_MESSAGE:
                return f"try writer.put({number}, messages: {own})"
            if self.type == Proto.TYPE_BYTES:
                return f"for text in {own} {{ writer.always({number}, text: text) }}"
            return f"writer.put({number}, {'numbers' if self.type in FIXED else 'varints'}: {own})"
        if self.type == Proto.TYPE_MESSAGE:
            put = f"try writer.put({number}, message: {own})"
            return f"if let {own} {{ {put} }}" if self.isOptional else put
        if self.type == Proto.TYPE_ENUM:
            return f"writer.put({number}, number: UInt64({own}{'?.wire ?? 0' if self.isOptional else '.wire'}))"
        if self.kind == ["uuid"]:
            put = f"writer.always({number}, uuid: {own})"
            return f"if let {own} {{ {put} }}" if self.isOptional else put
        if self.type == Proto.TYPE_BYTES:
            label = {"text": "text", "uuids": "uuids", "data": "bytes"}[self.kind[0]]
            return f"writer.put({number}, {label}: {own})"
        if self.base == "Bool":
            return f"writer.put({number}, flag: {'!' if self.kind == ['not'] else ''}{own})"
        if self.type in FIXED:
            return f"writer.put({number}, fixed: {own})"
        return f"writer.put({number}, number: {own if self.base == 'UInt64' else f'UInt64({own})'})"

    def about(self):
        """About how many bytes it takes: always, and by what it holds."""
        if self.isRepeated and self.type == Proto.TYPE_MESSAGE:
            return 0, f"{self.swift}.aboutByteCount"
        if self.isRepeated and self.type == Proto.TYPE_BYTES:
            return 0, f"{self.swift}.reduce(0) {{ $0 + $1.utf8.count + 3 }}"
        if self.isRepeated:
            return 6, f"{FIXED.get(self.type, 2)} * {self.swift}.count"
        if self.type == Proto.TYPE_MESSAGE:
            return 6, f"({self.swift}?.aboutByteCount ?? 0)" if self.isOptional else f"{self.swift}.aboutByteCount"
        if self.type == Proto.TYPE_BYTES and self.kind != ["uuid"]:
            return 6, {"text": "{}.utf8.count", "uuids": "16 * {}.count", "data": "{}.count"}[self.kind[0]].format(self.swift)
        if self.type == Proto.TYPE_BYTES:
            return 18, None
        return FIXED.get(self.type, 2 if self.base == "Bool" or self.type == Proto.TYPE_ENUM else 6), None

    def filling(self):
        """How its C form is filled, in lines, and whether that can throw."""
        indent, own, c = " " * 8, self.swift, self.c
        if self.isRepeated:
            target = f"(c.n_{self.name}, {c})"
            if self.type == Proto.TYPE_MESSAGE:
                return call(f"try unsafe {target} = arena.list(", [own], ")", indent), True
            maker = "numbers"
            if self.type == Proto.TYPE_BYTES:
                maker = {"text": "texts", "hash": "hashes"}[self.kind[0]]
            return call(f"unsafe {target} = arena.{maker}(", [own], ")", indent), False
        if self.type == Proto.TYPE_MESSAGE:
            maker = "makeOptional" if self.isOptional else "make"
            value = own
            if self.wrapper:
                value = f"{own}.map {{ {self.wrapper}($0) }}" if self.isOptional else f"{self.wrapper}({own})"
            return [f"{indent}try unsafe {c} = arena.{maker}({value})"], True
        if self.type == Proto.TYPE_ENUM:
            value = f"{own}?.wire ?? 0" if self.isOptional else f"{own}.wire"
            return call(f"unsafe {c} = {self.c_enum}(", [f"rawValue: {value}"], ")", indent), False
        if self.type == Proto.TYPE_BYTES:
            maker = {"text": "text", "uuid": "uuid", "digest": "data", "data": "data"}[self.kind[0]]
            if self.kind[0] == "uuid" and self.isOptional:
                return [f"{indent}if let {own} {{ unsafe {c} = arena.uuid({own}) }}"], False
            value = f'{own} ?? ""' if self.kind[0] == "text" and self.isOptional else own
            return [f"{indent}unsafe {c} = arena.{maker}({value})"], False
        if self.base == "Bool":
            return [f"{indent}unsafe {c} = {own} ? {'0 : 1' if self.kind == ['not'] else '1 : 0'}"], False
        if self.base == "Int":
            return [f"{indent}unsafe {c} = {NUMBERS[self.type]}(clamping: {own})"], False
        return [f"{indent}unsafe {c} = {own}{' ?? 0' if self.isOptional else ''}"], False


class Message:
    """A message as Swift has it."""

    def __init__(self, name, comment, fields, option):
        self.name, self.comment, self.fields, self.option = name, comment, fields, option
        self.swift = option["as"] or name + "Message"
        self.file = self.swift.replace(".", "") + ("+Packing" if option.get("maps") else "")
        self.names = [field.name for field in fields]
        for key in ("later", "set"):
            if option[key] and option[key] not in self.names:
                fail(f"{option['place']}: {name} has no field {option[key]}")

    def imports(self, options):
        outside = [enum["swift"] for enum in options.enums.values() if enum["maps"]]
        outside += [message["as"] for message in options.messages.values() if message.get("maps")]
        outside += [other["swift"] for other in options.others.values() if other["isOutside"]]
        outside += ["ManagedObjectModel"]

        def names(text):
            return any(re.search(rf"\b{re.escape(name)}\b", text) for name in outside)

        types = " ".join(field.swift_type for field in self.fields)
        lines = [] if self.option.get("fields") else ["internal import CCofferMessages"]
        if names(types) or names(" ".join(field.default or "" for field in self.fields)):
            lines.append(f"{'package' if names(types) else 'internal'} import CofferModel")
        if "UUID" in types:
            lines.append("package import FoundationEssentials")
        return lines

    def structure(self):
        conformances = "Sendable, Hashable" if self.option.get("hashable") else "Sendable, Equatable"
        lines = documentation(self.comment, last=f"`coffer.v1.{self.name}`.")
        lines.append(f"package struct {self.swift}: {conformances} {{")
        settable = self.names.index(self.option["set"]) if self.option["set"] else len(self.fields)
        later = self.names.index(self.option["later"]) if self.option["later"] else len(self.fields)
        for index, field in enumerate(self.fields):
            lines += documentation(field.comment, " " * 4)
            if index < settable:
                lines.append(f"    package var {field.swift}: {field.swift_type}")
            else:
                lines.append(f"    package var {field.swift}: {field.swift_type} = {field.empty}")
        made = self.fields[:settable]
        if not made:
            lines += ["", "    /// A message whose fields are all empty.", "    package init() {}", "}"]
            return lines
        parameters = []
        for index, field in enumerate(made):
            leaves = field.default or index >= later and field.empty is not None
            parameters.append(f"{field.swift}: {field.swift_type}" + (f" = {field.empty}" if leaves else ""))
        lines += ["", "    /// A message from its fields."]
        lines += call("package init(", parameters, ") {", " " * 4)
        lines += [f"        self.{field.swift} = {field.swift}" for field in made]
        return lines + ["    }", "}"]

    def packing(self):
        c = f"Coffer__V1__{self.name}"
        isAlone = self.option["limit"] is not None
        lines = [f"extension {self.swift}: {'WireMessage, ' if isAlone else ''}@unsafe CMessage {{"]
        if isAlone:
            lines += [f"    static var limit: MessageLimit {{ .{self.option['limit']} }}", ""]
        lines += call("static func prepare(", [f"_ message: UnsafeMutablePointer<{c}>"], ") {", " " * 4)
        lines += [f"        unsafe coffer__v1__{snake(self.name)}__init(message)", "    }", ""]
        lines += call("init(", [f"_ message: UnsafeMutablePointer<{c}>"], ") throws(WireError) {", " " * 4)
        lines += ["        let c = unsafe message.pointee"]
        lines += self.reading()
        lines += ["        try checkFields()"] if self.option.get("checked") else []
        lines += ["    }", ""]
        filling = [field.filling() for field in self.fields]
        head = f"    func fill(_ c: inout {c}, in arena: inout PackArena)"
        if not any(throws for _, throws in filling):
            lines.append(f"{head} {{")
        elif len(f"{head} throws(WireError) {{") <= WIDTH:
            lines.append(f"{head} throws(WireError) {{")
        else:
            lines += [head, "        throws(WireError)", "    {"]
        for field_lines, _ in filling:
            lines += field_lines
        lines += ["    }"]
        if isAlone:
            lines += [
                "", "    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }",
                "", "    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }",
            ]
        return lines + ["}"]

    def packing_fields(self):
        """How it is read and written without C structures."""
        isAlone = self.option["limit"] is not None
        lines = [f"extension {self.swift}: {'WireMessage, ' if isAlone else ''}FieldMessage {{"]
        lines += [f'    static var name: StaticString {{ "coffer.v1.{self.name}" }}']
        if isAlone and self.option["limit"] != "rows":
            lines += [f"    static var readLimit: MessageLimit {{ .{self.option['limit']} }}"]
        always = 2 + sum(field.about()[0] for field in self.fields)
        terms = [str(always)] + [term for _, term in map(Field.about, self.fields) if term]
        lines += [""] + self.about(terms) + [""]
        settable = self.names.index(self.option["set"]) if self.option["set"] else len(self.fields)
        placeholders = []
        for field in self.fields[:settable]:
            value = field.empty
            if value is None:
                value = ".zero" if field.base == "UUID" else f".{field.first_case}"
            placeholders.append(f"{field.swift}: {value}")
        lines += ["    init(reading reader: inout FieldReader) throws(WireError) {"]
        lines += call("self.init(", placeholders, ")", " " * 8)
        lines += [
            "        try readFields(from: &reader)", "    }", "",
            "    /// Not a part of the initialiser, which would end with a copy of the whole.", "    @inline(never)",
            "    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {"]
        by_number = sorted(self.fields, key=lambda field: field.number)
        cases = [field.case() for field in by_number]
        lines += [f"        {line}" for _, before, _ in cases for line in before]
        lines += ["        while let field = try reader.nextField() {", "            switch field.number {"]
        lines += [line for read, _, _ in cases for line in read]
        lines += ["            default: try reader.skip(field)", "            }", "        }"]
        lines += [f"        {line}" for _, _, after in cases for line in after]
        lines += ["        try checkFields()"] if self.option.get("checked") else []
        lines += ["    }", ""]
        writing = [field.writing() for field in by_number]
        throws = " throws(WireError)" if any(line.find("try ") >= 0 for line in writing) else ""
        lines += [f"    func write(to writer: inout FieldWriter){throws} {{"]
        lines += [f"        {line}" for line in writing] + ["    }"]
        if isAlone:
            lines += [
                "", "    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }",
                "", "    package func packed() throws(WireError) -> [UInt8] { try packingFields() }",
            ]
        return lines + ["}"]

    def about(self, terms):
        whole = f"    var aboutByteCount: Int {{ {' + '.join(terms)} }}"
        if len(whole) <= WIDTH:
            return [whole]
        lines, line = ["    var aboutByteCount: Int {"], " " * 8 + terms[0]
        for term in terms[1:]:
            if len(line) + 3 + len(term) > WIDTH:
                lines.append(line)
                line = " " * 12 + f"+ {term}"
            else:
                line += f" + {term}"
        return lines + [line, "    }"]

    def reading(self):
        """How all fields are read; a struct of another module is made by its own initialiser first."""
        if not self.option.get("maps"):
            return [line for field in self.fields for line in field.reading()]
        settable = self.names.index(self.option["set"]) if self.option["set"] else len(self.fields)
        lines = []
        for field in self.fields[:settable]:
            lines += field.reading(declares=True)
        arguments = [f"{field.swift}: {field.swift}" for field in self.fields[:settable]]
        lines += call("self.init(", arguments, ")", " " * 8)
        return lines + [line for field in self.fields[settable:] for line in field.reading()]

    def text(self, options):
        packing = self.packing_fields() if self.option.get("fields") else self.packing()
        parts = [[NOTICE], self.imports(options), self.structure(), packing]
        if self.option.get("maps"):
            parts = [[NOTICE], ["internal import CCofferMessages", "internal import CofferModel"], self.packing()]
        return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


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


def main(descriptors, options_path, folder):
    options, folder = Options(options_path), Path(folder)
    files = FileDescriptorSet.FromString(Path(descriptors).read_bytes()).file
    folder.mkdir(parents=True, exist_ok=True)
    made = set()
    for file in files:
        enums = [(enum.name, enum) for enum in file.enum_type]
        enums += [(f"{kind.name}.{enum.name}", enum) for kind in file.message_type for enum in kind.enum_type]
        options.first_cases |= {name: cases_of(name, enum)[0][0] for name, enum in enums}
    for file in files:
        comments = {tuple(place.path): place.leading_comments + place.trailing_comments
                    for place in file.source_code_info.location}
        for index, proto in enumerate(file.message_type):
            if option := options.messages.get(proto.name):
                fields = [
                    Field(proto.name, field, comments[(4, index, 2, number)], option["lines"].get(field.name, {}), options)
                    for number, field in enumerate(proto.field)]
                for name in option["lines"]:
                    if name not in [field.name for field in fields]:
                        fail(f"{option['place']}: {proto.name} has no field {name}")
                message = Message(proto.name, comments[(4, index)], fields, option)
                (folder / f"{message.file}.swift").write_text(message.text(options), encoding="utf-8")
                made.add(proto.name)
            for number, inner in enumerate(proto.enum_type):
                made |= write_enum(f"{proto.name}.{inner.name}", inner, comments, (4, index, 4, number), options, folder)
        for index, proto in enumerate(file.enum_type):
            made |= write_enum(proto.name, proto, comments, (5, index), options, folder)
    for name in (options.messages | options.enums).keys() - made:
        fail(f"the protocol has no {name}")


def write_enum(name, proto, comments, path, options, folder):
    option = options.enums.get(name)
    if not option:
        return set()
    of_cases = [comments[path + (2, index)] for index in range(len(proto.value))]
    text = enumeration(name, proto, comments[path], of_cases, option)
    file = option["swift"].replace(".", "") + ("+Wire.swift" if option["maps"] else ".swift")
    (folder / file).write_text(text, encoding="utf-8")
    return {name}


if __name__ == "__main__":
    main(*sys.argv[1:])
