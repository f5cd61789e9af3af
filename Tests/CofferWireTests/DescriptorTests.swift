import CCofferMessages
import FoundationEssentials
import Testing

/// What the C descriptors say of one message.
struct MessageShape {
    var name: String
    /// Numbers of fields that may take memory each time they are given: lists and messages.
    var growing: [UInt32] = []
    var parts: Set<String> = []
    var texts: [String] = []
    var unpacked: [String] = []
}

func messageShapes() -> [String: MessageShape] {
    var result: [String: MessageShape] = [:]
    unsafe visit(coffer__v1__storage__descriptor, into: &result)
    unsafe visit(coffer__v1__client__descriptor, into: &result)
    unsafe visit(coffer__v1__accounts__descriptor, into: &result)
    unsafe visit(coffer__v1__push__descriptor, into: &result)
    unsafe visit(coffer__v1__error_detail__descriptor, into: &result)
    unsafe visit(coffer__v1__container_marker__descriptor, into: &result)
    unsafe visit(coffer__v1__container_keys__descriptor, into: &result)
    unsafe visit(coffer__v1__container_log__descriptor, into: &result)
    unsafe visit(coffer__v1__container_baseline__descriptor, into: &result)
    return result
}

private func visit(_ service: ProtobufCServiceDescriptor, into shapes: inout [String: MessageShape]) {
    for index in 0..<Int(unsafe service.n_methods) {
        unsafe visit(service.methods[index].input.pointee, into: &shapes)
        unsafe visit(service.methods[index].output.pointee, into: &shapes)
    }
}

private func visit(_ message: ProtobufCMessageDescriptor, into shapes: inout [String: MessageShape]) {
    let name = unsafe String(cString: message.name)
    guard shapes[name] == nil else { return }
    var shape = MessageShape(name: name)
    shapes[name] = shape
    for index in 0..<Int(unsafe message.n_fields) {
        let field = unsafe message.fields[index]
        let fieldName = unsafe String(cString: field.name)
        if unsafe field.type == PROTOBUF_C_TYPE_STRING { shape.texts.append(fieldName) }
        if unsafe field.label == PROTOBUF_C_LABEL_REPEATED || field.type == PROTOBUF_C_TYPE_MESSAGE {
            shape.growing.append(unsafe field.id)
        }
        if unsafe field.label == PROTOBUF_C_LABEL_REPEATED && field.type != PROTOBUF_C_TYPE_MESSAGE
            && field.type != PROTOBUF_C_TYPE_BYTES && field.flags & PROTOBUF_C_FIELD_FLAG_PACKED.rawValue == 0
        {
            shape.unpacked.append(fieldName)
        }
        if unsafe field.type == PROTOBUF_C_TYPE_MESSAGE, let part = unsafe field.descriptor {
            let descriptor = unsafe part.load(as: ProtobufCMessageDescriptor.self)
            shape.parts.insert(unsafe String(cString: descriptor.name))
            unsafe visit(descriptor, into: &shapes)
        }
    }
    shapes[name] = shape
}

/// How many levels a message has, itself included; `nil` if it contains itself.
private func depth(_ name: String, _ shapes: [String: MessageShape], under: Set<String> = []) -> Int? {
    if under.contains(name) { return nil }
    var deepest = 0
    for part in shapes[name]?.parts ?? [] {
        guard let depth = depth(part, shapes, under: under.union([name])) else { return nil }
        deepest = max(deepest, depth)
    }
    return deepest + 1
}

@Test func `no message contains itself or nests deeper than eight levels`() {
    let shapes = messageShapes()
    for name in shapes.keys {
        let depth = depth(name, shapes)
        #expect(depth != nil, "\(name) contains itself")
        #expect(depth ?? 0 <= 8, "\(name) nests \(depth ?? 0) levels")
    }
}

@Test func `text travels as bytes, and numbers of a list as one run`() {
    for shape in messageShapes().values {
        #expect(shape.texts.isEmpty, "\(shape.name) has string fields \(shape.texts)")
        #expect(shape.unpacked.isEmpty, "\(shape.name) has fields that are not packed: \(shape.unpacked)")
    }
}

@Test func `the descriptors reach every message of the protocol`() throws {
    let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let baseline = try String(
        contentsOf: root.appendingPathComponent("Protos/coffer/v1/baseline.txt"), encoding: .utf8)
    let declared = baseline.split(separator: "\n").filter { $0.hasPrefix("message ") }
        .map { String($0.dropFirst(8)) }
    #expect(declared.count > 40)
    #expect(Set(declared) == Set(messageShapes().keys))
}
