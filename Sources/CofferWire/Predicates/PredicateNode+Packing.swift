internal import CCofferMessages
internal import CofferModel

/// `coffer.v1.PredicateNode.Kind`.
private enum NodeKind: UInt32 {
    case always = 1
    case never = 2
    case and = 3
    case or = 4
    case not = 5
    case comparison = 6
    case constant = 7
    case collection = 8
    case evaluatedObject = 9
    case keyPath = 10
    case variable = 11
    case function = 12
    case subquery = 13
    case conditional = 14
}

extension PredicateNode: FieldMessage {
    static var name: StaticString { "coffer.v1.PredicateNode" }

    init(reading reader: inout FieldReader) throws(WireError) {
        var parts = NodeParts()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: parts.kind = try reader.number32(field)
            case 2: parts.count = Int(try reader.number32(field))
            case 3: parts.value = try reader.message(field)
            case 4: parts.text = try reader.text(field, "coffer.v1.PredicateNode.text")
            case 5:
                let name: StaticString = "coffer.v1.PredicateNode.key_path"
                try parts.keyPath.append(reader.text(field, name), name, limit: Limits.keyPath)
            case 6: parts.operator = UInt8(clamping: try reader.number32(field))
            case 7: parts.modifier = UInt8(clamping: try reader.number32(field))
            case 8: parts.options = try reader.number32(field)
            default: try reader.skip(field)
            }
        }
        self = try parts.node()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(kind.rawValue))
        switch self {
        case .always, .not, .evaluatedObject, .conditional: return
        case .and(let count), .or(let count), .collection(let count): writer.put(2, number: UInt64(count))
        case .comparison(let `operator`, let modifier, let options):
            writer.put(6, number: UInt64(`operator`.rawValue))
            writer.put(7, number: UInt64(modifier.rawValue))
            writer.put(8, number: UInt64(options.rawValue))
        case .constant(let value):
            try writer.put(3) { writer throws(WireError) in try value.write(to: &writer) }
        case .keyPath(let names):
            for name in names { writer.always(5, text: name) }
        case .variable(let text, let names), .subquery(let text, let names):
            writer.put(4, text: text)
            for name in names { writer.always(5, text: name) }
        case .function(let name, let count):
            writer.put(2, number: UInt64(count))
            writer.put(4, text: name)
        }
    }

    fileprivate var kind: NodeKind {
        switch self {
        case .always(let holds): holds ? .always : .never
        case .and: .and
        case .or: .or
        case .not: .not
        case .comparison: .comparison
        case .constant: .constant
        case .collection: .collection
        case .evaluatedObject: .evaluatedObject
        case .keyPath: .keyPath
        case .variable: .variable
        case .function: .function
        case .subquery: .subquery
        case .conditional: .conditional
        }
    }
}

/// What a node's fields held, whatever its kind.
struct NodeParts {
    var kind: UInt32 = 0
    var count = 0
    var value: AttributeValue?
    var text = ""
    var keyPath: [String] = []
    var `operator`: UInt8 = 0
    var modifier: UInt8 = 0
    var options: UInt32 = 0

    func node() throws(WireError) -> PredicateNode {
        let kind: NodeKind = try choice(kind, "coffer.v1.PredicateNode.kind")
        switch kind {
        case .always: return .always(true)
        case .never: return .always(false)
        case .and: return .and(count)
        case .or: return .or(count)
        case .not: return .not
        case .comparison: return try comparison()
        case .constant:
            guard let value else { throw .malformed("coffer.v1.PredicateNode.value: absent") }
            return .constant(value)
        case .collection: return .collection(count)
        case .evaluatedObject: return .evaluatedObject
        case .keyPath: return .keyPath(keyPath)
        case .variable: return .variable(text, keyPath: keyPath)
        case .function: return .function(text, count)
        case .subquery: return .subquery(variable: text, keyPath: keyPath)
        case .conditional: return .conditional
        }
    }

    private func comparison() throws(WireError) -> PredicateNode {
        guard options < 16 else {
            throw .malformed("coffer.v1.PredicateNode.options: \(options) is unknown")
        }
        return try .comparison(
            choice(`operator`, "coffer.v1.PredicateNode.operator"),
            choice(modifier, "coffer.v1.PredicateNode.modifier"),
            QueryComparison.Options(rawValue: UInt8(options)))
    }
}

/// Predicates of batch operations are parts of messages that libprotobuf-c packs.
extension PredicateNode: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PredicateNode>) {
        unsafe coffer__v1__predicate_node__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PredicateNode>) throws(WireError) {
        let c = unsafe message.pointee
        var parts = NodeParts()
        parts.kind = unsafe c.kind.rawValue
        parts.count = unsafe Int(c.count)
        parts.value = try unsafe optional(c.value)
        parts.text = try unsafe c.text.text("coffer.v1.PredicateNode.text")
        parts.keyPath = try unsafe texts(
            c.key_path, c.n_key_path, "coffer.v1.PredicateNode.key_path", limit: Limits.keyPath)
        parts.operator = unsafe UInt8(clamping: c.operator_)
        parts.modifier = unsafe UInt8(clamping: c.modifier)
        parts.options = unsafe c.options
        self = try parts.node()
    }

    func fill(_ c: inout Coffer__V1__PredicateNode, in arena: inout PackArena) throws(WireError) {
        unsafe c.kind = Coffer__V1__PredicateNode__Kind(rawValue: kind.rawValue)
        switch self {
        case .always, .not, .evaluatedObject, .conditional: return
        case .and(let count), .or(let count), .collection(let count): unsafe c.count = UInt32(count)
        case .comparison(let `operator`, let modifier, let options):
            unsafe c.operator_ = UInt32(`operator`.rawValue)
            unsafe c.modifier = UInt32(modifier.rawValue)
            unsafe c.options = UInt32(options.rawValue)
        case .constant(let value): try unsafe c.value = arena.make(value)
        case .keyPath(let names): unsafe (c.n_key_path, c.key_path) = arena.texts(names)
        case .variable(let name, let names), .subquery(let name, let names):
            unsafe c.text = arena.text(name)
            unsafe (c.n_key_path, c.key_path) = arena.texts(names)
        case .function(let name, let count):
            unsafe c.text = arena.text(name)
            unsafe c.count = UInt32(count)
        }
    }
}
