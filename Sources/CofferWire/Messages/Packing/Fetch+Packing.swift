internal import CCofferMessages
package import CofferModel
package import FoundationEssentials

extension FetchRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__FetchRequest>) {
        unsafe coffer__v1__fetch_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__FetchRequest>) throws(WireError) {
        let c = unsafe message.pointee
        let nodes: [PredicateNode] = try unsafe messages(
            c.predicate, c.n_predicate, "coffer.v1.FetchRequest.predicate", limit: Limits.predicateNodes)
        var fetch = try unsafe FetchDescription(
            entityName: c.entity.text("coffer.v1.FetchRequest.entity"),
            predicate: QueryPredicate.made(of: nodes))
        fetch.sortDescriptors = try unsafe messages(
            c.sort_descriptors, c.n_sort_descriptors, "coffer.v1.FetchRequest.sort_descriptors",
            limit: Limits.keyPath)
        fetch.limit = unsafe Int(clamping: c.limit)
        fetch.offset = unsafe Int(clamping: c.offset)
        fetch.includesSubentities = unsafe c.excludes_subentities == 0
        fetch.resultType = try unsafe choice(
            UInt8(clamping: c.result_type), "coffer.v1.FetchRequest.result_type")
        fetch.propertiesToFetch = try unsafe texts(
            c.properties_to_fetch, c.n_properties_to_fetch, "coffer.v1.FetchRequest.properties_to_fetch")
        fetch.returnsDistinctResults = unsafe c.returns_distinct_results != 0
        unsafe self.init(store: c.store, fetch: fetch, withoutHolding: c.without_holding != 0)
    }

    func fill(_ c: inout Coffer__V1__FetchRequest, in arena: inout PackArena) throws(WireError) {
        unsafe c.store = store
        unsafe c.entity = arena.text(fetch.entityName)
        if let predicate = fetch.predicate {
            try unsafe (c.n_predicate, c.predicate) = arena.list(predicate.nodes())
        }
        try unsafe (c.n_sort_descriptors, c.sort_descriptors) = arena.list(fetch.sortDescriptors)
        unsafe c.limit = UInt64(clamping: fetch.limit)
        unsafe c.offset = UInt64(clamping: fetch.offset)
        unsafe c.excludes_subentities = fetch.includesSubentities ? 0 : 1
        unsafe c.result_type = UInt32(fetch.resultType.rawValue)
        unsafe (c.n_properties_to_fetch, c.properties_to_fetch) = arena.texts(fetch.propertiesToFetch)
        unsafe c.returns_distinct_results = fetch.returnsDistinctResults ? 1 : 0
        unsafe c.without_holding = withoutHolding ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension FetchRequestMessage {
    /// Gives the objects that the predicate names, which so far have only the indices of their entities, entity and store.
    ///
    /// To be called before the predicate of a message that was read is used: its reader does not know the store's model.
    ///
    /// - Throws: `WireError.malformed` where the model has no such entity.
    package mutating func resolveObjects(
        in model: ManagedObjectModel, storeUUID: UUID
    ) throws(WireError) {
        guard let predicate = fetch.predicate else { return }
        var nodes = try predicate.nodes()
        var isChanged = false
        for index in nodes.indices {
            guard case .constant(.object(let id)) = nodes[index] else { continue }
            let resolved = try ObjectReferenceMessage(id).id(in: model, storeUUID: storeUUID)
            nodes[index] = .constant(.object(resolved))
            isChanged = true
        }
        if isChanged { fetch.predicate = try .made(of: nodes) }
    }
}

extension QuerySort: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SortDescriptor>) {
        unsafe coffer__v1__sort_descriptor__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SortDescriptor>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            keyPath: texts(
                c.key_path, c.n_key_path, "coffer.v1.SortDescriptor.key_path", limit: Limits.keyPath),
            isAscending: c.descending == 0,
            comparison: choice(UInt8(clamping: c.comparison), "coffer.v1.SortDescriptor.comparison"))
    }

    func fill(_ c: inout Coffer__V1__SortDescriptor, in arena: inout PackArena) {
        unsafe (c.n_key_path, c.key_path) = arena.texts(keyPath)
        unsafe c.descending = isAscending ? 0 : 1
        unsafe c.comparison = UInt32(comparison.rawValue)
    }
}

extension FetchReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .rows }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__FetchReply>) {
        unsafe coffer__v1__fetch_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__FetchReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(number: c.number, count: c.count, rows: optional(c.rows))
    }

    func fill(_ c: inout Coffer__V1__FetchReply, in arena: inout PackArena) throws(WireError) {
        unsafe c.number = number
        unsafe c.count = count
        try unsafe c.rows = arena.makeOptional(rows)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
