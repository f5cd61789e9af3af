"""How a field is read and written without C structures."""
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Proto

from swift import LIMITS_OF_TEXT, call
from types_of_numbers import FIXED


class PackedForm:
    """Lines of Swift between a field and its packed bytes."""

    def case(self):
        """How it is read field by field, in lines; with what is declared before that and said after it."""
        target, before, after = self.swift, [], []
        long = [f"limit: Limits.{LIMITS_OF_TEXT[self.kind[1]]}"] if len(self.kind) > 1 else []
        if self.is_repeated and self.base == "Column":
            read = (f"try {target}.append(", ["field", "from: &reader", self.whole])
        elif self.is_repeated and self.type == Proto.TYPE_MESSAGE:
            read = (f"try {target}.append(", self.limited(["reader.message(field)", self.whole], self.maximum))
        elif self.is_repeated and self.type == Proto.TYPE_BYTES:
            text = f"reader.text({', '.join(['field', self.whole] + long)})"
            read = (f"try {target}.append(", self.limited([text, self.whole], self.maximum or "list"))
        elif self.is_repeated:
            bound = [] if self.type in FIXED else [self.whole, f"limit: Limits.{self.maximum}"]
            read = ("try reader.append(", ["field", f"to: &{target}"] + bound)
        elif self.type == Proto.TYPE_MESSAGE:
            before = [f"var {target}Run = MergedRun()"]
            after = [f"{target} = try reader.message(of: {target}Run{'' if self.is_optional else ', ' + self.whole})"]
            read = (f"unsafe {target}Run.take(", ["try reader.run(field)"])
        elif self.type == Proto.TYPE_ENUM:
            before = [f"var {target}Number: UInt32 = 0"]
            reader = "optionalChoice" if self.is_optional else "requiredChoice"
            after = [f"{target} = try {reader}({target}Number, {self.whole})"]
            read = (f"{target}Number = try reader.number32(", ["field"])
        elif self.kind == ["uuid"] and not self.is_optional:
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
        if self.is_repeated:
            if self.type == Proto.TYPE_MESSAGE:
                return f"try writer.put({number}, messages: {own})"
            if self.type == Proto.TYPE_BYTES:
                return f"for text in {own} {{ writer.always({number}, text: text) }}"
            return f"writer.put({number}, {'numbers' if self.type in FIXED else 'varints'}: {own})"
        if self.type == Proto.TYPE_MESSAGE:
            put = f"try writer.put({number}, message: {own})"
            return f"if let {own} {{ {put} }}" if self.is_optional else put
        if self.type == Proto.TYPE_ENUM:
            return f"writer.put({number}, number: UInt64({own}{'?.wire ?? 0' if self.is_optional else '.wire'}))"
        if self.kind == ["uuid"]:
            put = f"writer.always({number}, uuid: {own})"
            return f"if let {own} {{ {put} }}" if self.is_optional else put
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
        if self.is_repeated and self.type == Proto.TYPE_MESSAGE:
            return 0, f"{self.swift}.aboutByteCount"
        if self.is_repeated and self.type == Proto.TYPE_BYTES:
            return 0, f"{self.swift}.reduce(0) {{ $0 + $1.utf8.count + 3 }}"
        if self.is_repeated:
            return 6, f"{FIXED.get(self.type, 2)} * {self.swift}.count"
        if self.type == Proto.TYPE_MESSAGE:
            return 6, f"({self.swift}?.aboutByteCount ?? 0)" if self.is_optional else f"{self.swift}.aboutByteCount"
        if self.type == Proto.TYPE_BYTES and self.kind != ["uuid"]:
            return 6, {"text": "{}.utf8.count", "uuids": "16 * {}.count", "data": "{}.count"}[self.kind[0]].format(self.swift)
        if self.type == Proto.TYPE_BYTES:
            return 18, None
        return FIXED.get(self.type, 2 if self.base == "Bool" or self.type == Proto.TYPE_ENUM else 6), None
