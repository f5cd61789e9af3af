internal import CCofferMessages
internal import CofferModel

/// Steps in messages that libprotobuf-c packs: what a client does not send thousands of a second.
extension PredicateNode: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PredicateNode>) {
        unsafe coffer__v1__predicate_node__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PredicateNode>) throws(WireError) {
        let c = unsafe message.pointee
        var parts = NodeParts()
        parts.kind = unsafe UInt32(c.kind.rawValue)
        parts.count = unsafe Int(c.count)
        if unsafe c.value != nil {
            parts.value = try unsafe required(c.value, "coffer.v1.PredicateNode.value")
        }
        parts.text = try unsafe c.text.text("coffer.v1.PredicateNode.text")
        parts.keyPath = try unsafe texts(
            c.key_path, c.n_key_path, "coffer.v1.PredicateNode.key_path", limit: Limits.keyPath)
        unsafe parts.operator = UInt8(clamping: c.operator_)
        unsafe parts.modifier = UInt8(clamping: c.modifier)
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
