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
        var value = MergedRun()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: parts.kind = try reader.number32(field)
            case 2: parts.count = Int(try reader.number32(field))
            case 3: unsafe value.take(try reader.run(field))
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
        parts.value = try reader.message(of: value)
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
        case .constant(let value): try writer.put(3, message: value)
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
private struct NodeParts {
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
