package import CofferModel

/// Makes the objects of a new store of those of the old one, as a mapping model says.
///
/// Confined; used once. Three passes over the entity mappings, in their order: the first makes objects, the
/// second relates them, the third judges them, as in Core Data. Each goes through the objects piece by piece,
/// and saves after each piece.
package struct MappedMigrationRun {
    private let manager: MigrationManager
    private let progress: (MigrationProgress) -> Bool

    package init(_ manager: MigrationManager, progress: @escaping (MigrationProgress) -> Bool) {
        (self.manager, self.progress) = (manager, progress)
    }

    /// Makes all objects, relates and judges them.
    ///
    /// - Throws: What policies throw, `.validation` with what the model forbids, `.constraints`,
    ///   `.refused` with the reason `interrupted` if `progress` stops it.
    package func run() throws(CofferError) {
        for mapping in manager.compiled { try createInstances(of: mapping) }
        for mapping in manager.compiled { try createRelationships(of: mapping) }
        for mapping in manager.compiled {
            try during(mapping) { policy in
                try policy.performCustomValidation(for: mapping.mapping, with: manager)
            }
        }
        try judge()
        for mapping in manager.compiled {
            try during(mapping) { policy in try policy.end(mapping.mapping, with: manager) }
        }
        // Changes that policies make so late are judged, too.
        if manager.destinationContext.hasChanges {
            try manager.save()
            try judge()
        }
        manager.currentEntityMapping = nil
    }

    private func during(
        _ mapping: CompiledMapping, _ body: (any EntityMigrationPolicy) throws -> Void
    ) throws(CofferError) {
        manager.currentEntityMapping = mapping.mapping
        let policy = manager.policies[mapping.place]
        try manager.asking(mapping) {
            try body(policy)
            if let error = manager.cancellation { throw error }
        }
    }

    /// Saves a piece, unless the migration is stopped.
    private func endPiece(_ step: MigrationProgress) throws(CofferError) {
        for context in [manager.sourceContext, manager.destinationContext] {
            // What could not be read was taken for nothing.
            if let error = context.lastFaultError { throw error }
        }
        try manager.save()
        try tell(step)
    }

    private func tell(_ step: MigrationProgress) throws(CofferError) {
        if !progress(step) { throw .cancelled }
    }

    // MARK: The passes

    private func createInstances(of mapping: CompiledMapping) throws(CofferError) {
        try during(mapping) { policy in try policy.begin(mapping.mapping, with: manager) }
        if let entity = mapping.source {
            var request = FetchRequest<ManagedObject>(entityName: entity.name, mapping.predicate)
                .batchSize(Limits.migrationPiece)
            request.includesSubentities = false
            let sources = try manager.sourceContext.fetchLazily(request)
            for start in stride(from: 0, to: sources.count, by: Limits.migrationPiece) {
                try during(mapping) { policy in
                    for source in sources[start..<min(start + Limits.migrationPiece, sources.count)] {
                        try policy.createDestinationInstances(
                            for: source, in: mapping.mapping, with: manager)
                    }
                }
                try endPiece(.rows)
            }
        }
        try during(mapping) { policy in try policy.endInstanceCreation(for: mapping.mapping, with: manager) }
        try endPiece(.rows)
    }

    private func createRelationships(of mapping: CompiledMapping) throws(CofferError) {
        var place: Int64 = 0
        while true {
            let pairs = try manager.pairs.pairs(
                of: mapping.place, behind: place, limit: Limits.migrationPiece)
            guard let last = pairs.last else { break }
            place = last.place
            // Read along, so that none is read by itself.
            let sources = try objects(
                pairs.map { manager.sourceID($0.pair.source) }, in: manager.sourceContext)
            let made = try objects(
                pairs.map { manager.destinationID($0.pair.destination) }, in: manager.destinationContext)
            try during(mapping) { policy in
                for destination in made {
                    try policy.createRelationships(
                        for: destination, in: mapping.mapping, with: manager)
                }
            }
            withExtendedLifetime(sources) {}
            try endPiece(.rows)
        }
        try during(mapping) { policy in
            try policy.endRelationshipCreation(for: mapping.mapping, with: manager)
        }
        try endPiece(.rows)
    }

    /// The objects with some ids that are still there, in their order, each once.
    private func objects(
        _ ids: [ManagedObjectID], in context: ManagedObjectContext
    ) throws(CofferError) -> [ManagedObject] {
        var found: [ManagedObjectID: ManagedObject] = [:]
        for (name, ids) in Dictionary(grouping: ids, by: \.entity.name) {
            let constants = ids.map { QueryExpression.constant(.object($0)) }
            let request = try FetchRequest<ManagedObject>(entityName: name)
                .matching("SELF IN %@", QueryExpression.collection(constants))
            for object in try context.fetch(request) { found[object.objectID] = object }
        }
        return ids.compactMap { found.removeValue(forKey: $0) }
    }

    private func judge() throws(CofferError) {
        try Self.judge(manager.destinationContext) { () throws(CofferError) in try tell(.checking) }
    }

    /// Judges all objects of a new store by the model's rules, and by those of their classes.
    ///
    /// - Parameters:
    ///   - context: A context over the store.
    ///   - goOn: Called now and then; what it throws ends it.
    /// - Throws: `.validation` with the first objects that break a rule.
    package static func judge(
        _ context: ManagedObjectContext, _ goOn: () throws(CofferError) -> Void = {}
    ) throws(CofferError) {
        var failures: [ValidationFailure] = []
        for entity in context.model.entities where !entity.isAbstract {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
                .batchSize(Limits.migrationPiece)
            request.includesSubentities = false
            let objects = try context.fetchLazily(request)
            for (place, object) in objects.enumerated() {
                failures += object.validationFailures(for: .insert)
                if failures.count >= Limits.migrationFailures { throw .validation(failures) }
                if place % Limits.migrationPiece == 0 { try goOn() }
            }
        }
        if !failures.isEmpty { throw .validation(failures) }
    }
}
