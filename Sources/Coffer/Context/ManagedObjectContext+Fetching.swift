public import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// The objects that fit a request.
    ///
    /// Blocks for a round trip for each store that keeps the entity. What the context changed takes part,
    /// unless the request says otherwise: objects that it deleted are left out, others are judged by their
    /// values in the context.
    ///
    /// Objects that are faults are read 200 at a time when the first of them is asked for a value, so that a
    /// loop over them does not cost a round trip for each; so are the objects that relationships of objects
    /// of one fetch lead to. Values of attributes that allow external storage are left out of objects, faults
    /// and prefetches until one is read, which reads those of as many objects that come next as 4 MB hold
    /// (Core Data reads the data of external files when it is used, too, but one by one).
    ///
    /// ```swift
    /// let starred = try context.fetch(Note.where(\.stars > 0).sorted(by: "title").limit(20))
    /// for note in starred { print(note.title) }
    /// ```
    ///
    /// - Throws: `.predicate` if a predicate or key path does not fit the model or cannot be answered by
    ///   the store, `.unknown` if the entity or an affected store does not exist, `.wrongType` if an object
    ///   is of another class than the request's, `.generationExpired` if the pinned state is gone, or why a
    ///   store cannot be reached.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(CofferError) -> [Object]
    {
        try followingExchanges { () throws(CofferError) in try fetchOnce(request) }
    }

    private func fetchOnce<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws(CofferError) -> [Object] {
        let plan = try plan(request)
        useClass(Object.self, for: plan.entity)
        if request.relationshipKeyPathsForPrefetching.isEmpty {
            return try typed(try objects(plan, request.form))
        }
        let steps = try PrefetchStep.steps(
            request.relationshipKeyPathsForPrefetching, from: plan.entity, in: model)
        let found = try objects(plan, request.form)
        try prefetch(steps, from: found, plan.extent)
        return try typed(found)
    }

    /// Objects as the class that a request names.
    func typed<Object: ManagedObject>(_ objects: [ManagedObject]) throws(CofferError) -> [Object] {
        var result: [Object] = []
        result.reserveCapacity(objects.count)
        for object in objects {
            guard let object = object as? Object else {
                throw .wrongType(entity: object.entity.name, property: "", expected: "class \(Object.self)")
            }
            result.append(object)
        }
        return result
    }

    /// How many objects fit a request, by the rules of `fetch(_:)`; its limit and offset count.
    ///
    /// - Throws: `.predicate`, `.unknown`, `.generationExpired`, or why a store cannot be reached, as
    ///   `fetch(_:)` does.
    public func count<Object: ManagedObject>(for request: FetchRequest<Object>) throws(CofferError) -> Int {
        try followingExchanges { () throws(CofferError) in try countOnce(request) }
    }

    private func countOnce<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws(CofferError) -> Int {
        let plan = try plan(request)
        if plan.limit == 0 { return 0 }
        if plan.overlay != nil { return try objects(plan, .ids(batchSize: Limits.faultBatch)).count }
        var total = 0
        let began = ContextTrace.beginning
        defer { trace("count", since: began, label: plan.label, entity: plan.entity.name, rows: total) }
        if let link { return try count(plan.description, in: plan.affectedStores, of: link) }
        for store in plan.stores {
            var description = plan.description
            description.resultType = .count
            total += Int(
                clamping: try send(
                    description, of: plan.entity, to: store, withoutHolding: true, label: plan.label
                ).count)
        }
        return plan.stores.count < 2 ? total : min(max(0, total - plan.offset), plan.limit ?? .max)
    }

    /// The ids of the objects that fit a request, by the rules of `fetch(_:)`.
    ///
    /// - Throws: `.predicate`, `.unknown`, `.generationExpired`, or why a store cannot be reached, as
    ///   `fetch(_:)` does.
    public func fetchIDs<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws(CofferError) -> [ManagedObjectID] {
        try followingExchanges { () throws(CofferError) in
            try objects(try plan(request), .ids(batchSize: Limits.faultBatch)).map(\.objectID)
        }
    }

    /// Values of the properties that a request names, without objects; what the context changed takes no
    /// part.
    ///
    /// Keys are the key paths in `propertiesToFetch` and the names of `expressionsToFetch`, else the names of
    /// all attributes and to-one relationships; null values are left in. With several stores, rows and groups
    /// come store by store, and limit and offset count in each.
    ///
    /// - Throws: `.predicate` if a key path, an expression or a condition on groups does not fit the model
    ///   or has no meaning for a store, `.unknown` if the entity, a property or an affected store does not
    ///   exist, `.generationExpired`, `.refused` with the reason 'damaged' if the file of a value that is
    ///   asked for is missing, or why a store cannot be reached.
    public func fetchDictionaries<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws(CofferError) -> [[String: AttributeValue]] {
        try followingExchanges { () throws(CofferError) in try fetchDictionariesOnce(request) }
    }

    private func fetchDictionariesOnce<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws(CofferError) -> [[String: AttributeValue]] {
        let plan = try plan(request)
        var description = plan.description
        apply(request, to: &description)
        let columns = try dictionaryColumns(&description, plan.entity)
        if plan.limit == 0 { return [] }
        var result: [[String: AttributeValue]] = []
        let began = ContextTrace.beginning
        defer {
            trace("fetch", since: began, label: plan.label, entity: plan.entity.name, rows: result.count)
        }
        // A child asks the stores itself: what its root has pinned stays as long.
        let pinned = link == nil ? nil : tree.pinned
        defer { withExtendedLifetime(pinned) {} }
        let places = try self.places(named: plan.affectedStores, keeping: plan.entity)
        for store in places ?? storesByEntity[plan.entity.index] {
            let reply = try send(
                description, of: plan.entity, to: store, withoutHolding: true, label: plan.label)
            if let rows = reply.rows { try append(rows, columns, of: store, to: &result) }
        }
        return result
    }

    /// What only dictionaries are asked for.
    func apply<Object: ManagedObject>(_ request: FetchRequest<Object>, to description: inout FetchDescription)
    {
        description.resultType = .dictionaries
        description.returnsDistinctResults = request.returnsDistinctResults
        let window = request.window
        description.offset = window.offset
        description.limit = window.limit ?? 0
        description.expressions = request.expressionsToFetch
        description.groupBy = request.groupBy
        description.having = request.having
    }
}

extension ManagedObjectContext {
    /// Carries a plan out.
    func objects(_ plan: FetchPlan, _ form: FetchedForm) throws(CofferError) -> [ManagedObject] {
        if plan.limit == 0 { return [] }
        var found: [ManagedObject] = []
        let began = ContextTrace.beginning
        defer {
            trace("fetch", since: began, label: plan.label, entity: plan.entity.name, rows: found.count)
        }
        if let link { found = try fetch(plan.description, form, in: plan.affectedStores, from: link) }
        for store in plan.stores {
            let objects =
                switch form {
                case .objects: try fetchObjects(plan, store)
                case .faults: try fetchFaults(plan, store)
                case .ids(let size):
                    objects(try fetchReferences(plan, store), batchSize: size, extent: plan.extent)
                }
            found = found.isEmpty ? objects : found + objects
        }
        return try finished(plan, found)
    }

    /// What stores found, with what the context changed, in order, from the offset to the limit.
    func finished(_ plan: FetchPlan, _ objects: [ManagedObject]) throws(CofferError) -> [ManagedObject] {
        var found = objects
        let description = plan.description
        if plan.isWindowedThere { return found }
        if let overlay = plan.overlay {
            found = try apply(overlay, to: found, description: plan.description, entity: plan.entity)
        }
        if !description.sortDescriptors.isEmpty {
            found = try sort(found, by: description.sortDescriptors, locale: description.locale)
        }
        let rest = found.dropFirst(plan.offset)
        return Array(plan.limit.map { rest.prefix($0) } ?? rest)
    }

    /// Sends one fetch.
    func send(
        _ description: FetchDescription, of entity: EntityDescription, to store: Int16, withoutHolding: Bool,
        label: String? = nil
    ) throws(CofferError) -> FetchReplyMessage {
        try coordinator.fetch(
            begin(description, of: entity, store, withoutHolding: withoutHolding, label: label))
    }

    func begin(
        _ description: consuming FetchDescription, of entity: EntityDescription, _ store: Int16,
        withoutHolding: Bool, label: String?
    ) -> FetchRequestMessage {
        sendReleases()
        statistics.fetches += 1
        if description.resultType == .objects, description.propertiesToFetch.isEmpty {
            // Empty for most entities, and then all come.
            description.propertiesToFetch = registry.layout(entity.index).namesWithoutExternal
        }
        let record = registry.stores[Int(store)]
        return FetchRequestMessage(
            store: record.handle, fetch: description.asked(of: record.uuid),
            withoutHolding: withoutHolding, label: label ?? "", generation: generation(of: store))
    }

    /// The ids of what a store finds.
    func fetchReferences(_ plan: FetchPlan, _ store: Int16) throws(CofferError) -> [ObjectReference] {
        var description = plan.description
        description.resultType = .objectIDs
        let reply = try send(description, of: plan.entity, to: store, withoutHolding: true, label: plan.label)
        guard let rows = reply.rows else { return [] }
        return try references(rows, store: store)
    }

    /// Faults of what a store finds, which keeps the rows until they fire or are gone.
    private func fetchFaults(_ plan: FetchPlan, _ store: Int16) throws(CofferError) -> [ManagedObject] {
        let layout = registry.layout(plan.entity.index)
        // What is asked for in part cannot be kept, and large values that are not asked for are not read.
        guard plan.description.propertiesToFetch.isEmpty, pinned == nil,
            layout.externalSlots.isEmpty || !layout.namesWithoutExternal.isEmpty
        else {
            return objects(try fetchReferences(plan, store), extent: plan.extent)
        }
        var request = begin(
            plan.description, of: plan.entity, store, withoutHolding: false, label: plan.label)
        request.withoutValues = true
        var found: [ObjectReference] = []
        let last = try coordinator.fetch(request, cancellation: nil) { part throws(CofferError) in
            if part == nil { found = [] }
            if let rows = part?.rows { found += try references(rows, store: store) }
        }
        if let rows = last.rows { found += try references(rows, store: store) }
        let objects = objects(found)
        for object in objects where object.isFault { object.status.insert(.held) }
        return objects
    }

    /// Fetches objects, making those of one part of the answer while the store reads the next.
    private func fetchObjects(_ plan: FetchPlan, _ store: Int16) throws(CofferError) -> [ManagedObject] {
        var found = FoundObjects()
        let request = begin(
            plan.description, of: plan.entity, store, withoutHolding: false, label: plan.label)
        let last = try coordinator.fetch(request, cancellation: nil) {
            part throws(CofferError) in
            if let rows = part?.rows {
                try materialise(rows, store: store, into: &found)
            } else {
                found = FoundObjects()
            }
        }
        if let rows = last.rows { try materialise(rows, store: store, into: &found) }
        return awake(found)
    }
}
