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
        // Variables, not a structure of them: the compiler would copy that whole.
        var (kind, count, options) = (UInt32(0), 0, UInt32(0))
        var (`operator`, modifier) = (UInt8(0), UInt8(0))
        var value = MergedRun()
        var text = ""
        var keyPath: [String] = []
        while let field = try reader.nextField() {
            switch field.number {
            case 1: kind = try reader.number32(field)
            case 2: count = Int(try reader.number32(field))
            case 3: unsafe value.take(try reader.run(field))
            case 4: text = try reader.text(field, "coffer.v1.PredicateNode.text")
            case 5:
                let name: StaticString = "coffer.v1.PredicateNode.key_path"
                try keyPath.append(reader.text(field, name), name, limit: Limits.keyPath)
            case 6: `operator` = UInt8(clamping: try reader.number32(field))
            case 7: modifier = UInt8(clamping: try reader.number32(field))
            case 8: options = try reader.number32(field)
            default: try reader.skip(field)
            }
        }
        let constant: AttributeValue? = try reader.message(of: value)
        switch try choice(kind, "coffer.v1.PredicateNode.kind") as NodeKind {
        case .comparison:
            self = try Self.comparison(operator: `operator`, modifier: modifier, options: options)
        case .constant:
            guard let constant else { throw .malformed("coffer.v1.PredicateNode.value: absent") }
            self = .constant(constant)
        case .keyPath: self = .keyPath(keyPath)
        case .variable: self = .variable(text, keyPath: keyPath)
        case .function: self = .function(text, count)
        case .subquery: self = .subquery(variable: text, keyPath: keyPath)
        case .always: self = .always(true)
        case .never: self = .always(false)
        case .and: self = .and(count)
        case .or: self = .or(count)
        case .not: self = .not
        case .collection: self = .collection(count)
        case .evaluatedObject: self = .evaluatedObject
        case .conditional: self = .conditional
        }
    }

    private static func comparison(
        operator: UInt8, modifier: UInt8, options: UInt32
    ) throws(WireError) -> PredicateNode {
        guard options < 16 else {
            throw .malformed("coffer.v1.PredicateNode.options: \(options) is unknown")
        }
        return try .comparison(
            choice(`operator`, "coffer.v1.PredicateNode.operator"),
            choice(modifier, "coffer.v1.PredicateNode.modifier"),
            QueryComparison.Options(rawValue: UInt8(options)))
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
