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

extension PredicateNode: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PredicateNode>) {
        unsafe coffer__v1__predicate_node__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PredicateNode>) throws(WireError) {
        let c = unsafe message.pointee
        let kind: NodeKind = try unsafe choice(c.kind.rawValue, "coffer.v1.PredicateNode.kind")
        let count = unsafe Int(c.count)
        self =
            switch kind {
            case .always: .always(true)
            case .never: .always(false)
            case .and: .and(count)
            case .or: .or(count)
            case .not: .not
            case .comparison: try unsafe Self.comparison(c)
            case .constant: .constant(try unsafe required(c.value, "coffer.v1.PredicateNode.value"))
            case .collection: .collection(count)
            case .evaluatedObject: .evaluatedObject
            case .keyPath: .keyPath(try unsafe Self.keyPath(c))
            case .variable: .variable(try unsafe Self.text(c), keyPath: try unsafe Self.keyPath(c))
            case .function: .function(try unsafe Self.text(c), count)
            case .subquery: .subquery(variable: try unsafe Self.text(c), keyPath: try unsafe Self.keyPath(c))
            case .conditional: .conditional
            }
    }

    private static func text(_ c: Coffer__V1__PredicateNode) throws(WireError) -> String {
        try unsafe c.text.text("coffer.v1.PredicateNode.text")
    }

    private static func keyPath(_ c: Coffer__V1__PredicateNode) throws(WireError) -> [String] {
        try unsafe texts(
            c.key_path, c.n_key_path, "coffer.v1.PredicateNode.key_path", limit: Limits.keyPath)
    }

    private static func comparison(_ c: Coffer__V1__PredicateNode) throws(WireError) -> PredicateNode {
        let options = unsafe c.options
        guard options < 16 else {
            throw .malformed("coffer.v1.PredicateNode.options: \(options) is unknown")
        }
        return try unsafe .comparison(
            choice(UInt8(clamping: c.operator_), "coffer.v1.PredicateNode.operator"),
            choice(UInt8(clamping: c.modifier), "coffer.v1.PredicateNode.modifier"),
            QueryComparison.Options(rawValue: UInt8(options)))
    }

    func fill(_ c: inout Coffer__V1__PredicateNode, in arena: PackArena) throws(WireError) {
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

    private var kind: NodeKind {
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
