"""How a field is read of the structures of libprotobuf-c, and fills them."""
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Proto

from swift import LIMITS_OF_TEXT, call
from types_of_numbers import NUMBERS


class CForm:
    """Lines of Swift between a field and its C form."""

    def reading(self, declares=False):
        """How it is read of its C form, in lines: into the property, or into a constant that it declares."""
        indent, target, c = " " * 8, f"let {self.swift}: {self.swift_type}" if declares else self.swift, self.c
        limit = LIMITS_OF_TEXT.get(self.kind[1]) if len(self.kind) > 1 else None
        if self.is_repeated:
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
            reader = "optional" if self.is_optional else "required"
            arguments = [c] + ([] if self.is_optional else [self.whole])
            if self.wrapper:
                mark = "?" if self.is_optional else ""
                return call(
                    f"{target} = try unsafe {reader}(", arguments + [f"as: {self.wrapper}.self"],
                    f"){mark}.model", indent)
            return call(f"{target} = try unsafe {reader}(", arguments, ")", indent)
        if self.type == Proto.TYPE_ENUM:
            reader = "optionalChoice" if self.is_optional else "requiredChoice"
            return call(f"{target} = try unsafe {reader}(", [f"{c}.rawValue", self.whole], ")", indent)
        if self.type == Proto.TYPE_BYTES:
            return self.reading_bytes(target, limit, indent)
        if self.base == "Bool":
            return [f"{indent}{target} = unsafe {c} {'==' if self.kind == ['not'] else '!='} 0"]
        if self.base == "Int":
            return [f"{indent}{target} = unsafe Int(clamping: {c})"]
        if self.is_optional:
            return [f"{indent}{target} = unsafe {c} == 0 ? nil : {c}"]
        return [f"{indent}{target} = unsafe {c}"]

    def reading_bytes(self, target, limit, indent):
        kind, c = self.kind[0], self.c
        if kind == "data" and self.kind[1:] in ([], ["must"]):
            return [f"{indent}{target} = unsafe {c}.array()"]
        if kind == "data":
            arguments = [self.whole, f"count: {self.kind[1]}"] + (["orNone: true"] if self.is_optional else [])
            return call(f"{target} = try unsafe {c}.array(", arguments, ")", indent)
        if kind == "text" and self.default not in (None, '""'):
            return [
                f"{indent}{target} =", f"{indent}    try unsafe {c}.optionalText({self.whole})",
                f"{indent}    ?? {self.default}"]
        optional = {"text": "optionalText", "uuid": "optionalUUID"}
        reader = optional.get(kind, kind) if self.is_optional else kind
        return call(f"{target} = try unsafe {c}.{reader}(", self.limited([self.whole], limit), ")", indent)

    def filling(self):
        """How its C form is filled, in lines, and whether that can throw."""
        indent, own, c = " " * 8, self.swift, self.c
        if self.is_repeated:
            target = f"(c.n_{self.name}, {c})"
            if self.type == Proto.TYPE_MESSAGE:
                return call(f"try unsafe {target} = arena.list(", [own], ")", indent), True
            maker = "numbers"
            if self.type == Proto.TYPE_BYTES:
                maker = {"text": "texts", "hash": "hashes"}[self.kind[0]]
            return call(f"unsafe {target} = arena.{maker}(", [own], ")", indent), False
        if self.type == Proto.TYPE_MESSAGE:
            maker = "makeOptional" if self.is_optional else "make"
            value = own
            if self.wrapper:
                value = f"{own}.map {{ {self.wrapper}($0) }}" if self.is_optional else f"{self.wrapper}({own})"
            return [f"{indent}try unsafe {c} = arena.{maker}({value})"], True
        if self.type == Proto.TYPE_ENUM:
            value = f"{own}?.wire ?? 0" if self.is_optional else f"{own}.wire"
            return call(f"unsafe {c} = {self.c_enum}(", [f"rawValue: {value}"], ")", indent), False
        if self.type == Proto.TYPE_BYTES:
            maker = {"text": "text", "uuid": "uuid", "digest": "data", "data": "data"}[self.kind[0]]
            if self.kind[0] == "uuid" and self.is_optional:
                return [f"{indent}if let {own} {{ unsafe {c} = arena.uuid({own}) }}"], False
            value = f'{own} ?? ""' if self.kind[0] == "text" and self.is_optional else own
            return [f"{indent}unsafe {c} = arena.{maker}({value})"], False
        if self.base == "Bool":
            return [f"{indent}unsafe {c} = {own} ? {'0 : 1' if self.kind == ['not'] else '1 : 0'}"], False
        if self.base == "Int":
            return [f"{indent}unsafe {c} = {NUMBERS[self.type]}(clamping: {own})"], False
        return [f"{indent}unsafe {c} = {own}{' ?? 0' if self.is_optional else ''}"], False
