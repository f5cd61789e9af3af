"""A message as Swift has it: its struct, and how it is read and written."""
import re

from fields import Field
from swift import NOTICE, WIDTH, call, documentation, fail, snake


class Message:
    """A message as Swift has it."""

    def __init__(self, name, comment, fields, option):
        self.name, self.comment, self.fields, self.option = name, comment, fields, option
        self.swift = option["as"] or name + "Message"
        self.file = self.swift.replace(".", "") + ("+Packing" if option.get("maps") else "")
        self.names = [field.name for field in fields]
        if option.get("maps") and option.get("fields"):
            fail(f"{option['place']}: what another module has is read by libprotobuf-c only")
        for key in ("later", "set"):
            if option[key] and option[key] not in self.names:
                fail(f"{option['place']}: {name} has no field {option[key]}")

    def imports(self, options):
        outside = [enum["swift"] for enum in options.enums.values() if enum["maps"]]
        outside += [message["as"] for message in options.messages.values() if message.get("maps")]
        outside += [other["swift"] for other in options.others.values() if other["is_outside"]]
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
            leaves = field.default or index >= later and field.empty is not None and "must" not in field.kind
            parameters.append(f"{field.swift}: {field.swift_type}" + (f" = {field.empty}" if leaves else ""))
        lines += ["", "    /// A message from its fields."]
        lines += call("package init(", parameters, ") {", " " * 4)
        lines += [f"        self.{field.swift} = {field.swift}" for field in made]
        return lines + ["    }", "}"]

    def packing(self):
        c = f"Coffer__V1__{self.name}"
        is_alone = self.option["limit"] is not None
        lines = [f"extension {self.swift}: {'WireMessage, ' if is_alone else ''}@unsafe CMessage {{"]
        if is_alone:
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
        if is_alone:
            lines += [
                "", "    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }",
                "", "    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }",
            ]
        return lines + ["}"]

    def packing_fields(self):
        """How it is read and written without C structures."""
        is_alone = self.option["limit"] is not None
        lines = [f"extension {self.swift}: {'WireMessage, ' if is_alone else ''}FieldMessage {{"]
        lines += [f'    static var name: StaticString {{ "coffer.v1.{self.name}" }}']
        if is_alone and self.option["limit"] != "rows":
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
        if is_alone:
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
