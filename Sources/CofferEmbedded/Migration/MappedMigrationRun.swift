import Coffer
import CofferModel
import CofferStores

/// Makes the objects of a new store of those of the old one, as a mapping model says.
///
/// Confined; used once. Three passes over the entity mappings, in their order: the first makes objects, the
/// second relates them, the third judges them, as in Core Data. Each goes through the objects piece by piece,
/// and saves after each piece.
struct MappedMigrationRun {
    private let manager: MigrationManager
    private let progress: (MigrationProgress) -> Bool

    init(_ manager: MigrationManager, progress: @escaping (MigrationProgress) -> Bool) {
        (self.manager, self.progress) = (manager, progress)
    }

    /// - Throws: What policies throw, `.validation` with what the model forbids, `.constraints`,
    ///   `.refused` with the reason `interrupted` where `progress` stops it.
    func run() throws(CofferError) {
        for mapping in manager.compiled { try createInstances(of: mapping) }
        for mapping in manager.compiled { try createRelationships(of: mapping) }
        for mapping in manager.compiled {
            try during(mapping) { policy in
                try policy.performCustomValidation(for: mapping.mapping, with: manager)
            }
        }
        try validate()
        for mapping in manager.compiled {
            try during(mapping) { policy in try policy.end(mapping.mapping, with: manager) }
        }
        // Whoever changes objects so late has them judged, too.
        if manager.destinationContext.hasChanges {
            try manager.save()
            try validate()
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

    /// Saves a piece, unless somebody stops it.
    private func endPiece(_ step: MigrationProgress) throws(CofferError) {
        for context in [manager.sourceContext, manager.destinationContext] {
            // What could not be read was taken for nothing.
            if let error = context.lastFaultError { throw error }
        }
        try manager.save()
        try tell(step)
    }

    private func tell(_ step: MigrationProgress) throws(CofferError) {
        if !progress(step) { throw CofferError(.interrupted) }
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
            let pairs = try translating { () throws(StoreError) in
                try manager.pairs.pairs(of: mapping.place, behind: place, limit: Limits.migrationPiece)
            }
            guard let last = pairs.last else { break }
            place = last.place
            // Read along, so that none is read by itself.
            let sources = try objects(pairs.map { manager.sourceID($0.source) }, in: manager.sourceContext)
            let made = try objects(
                pairs.map { manager.destinationID($0.destination) }, in: manager.destinationContext)
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

    /// Judges all objects by the model's rules, and by those of their classes.
    private func validate() throws(CofferError) {
        var failures: [ValidationFailure] = []
        let context = manager.destinationContext
        for entity in manager.destinationModel.entities where !entity.isAbstract {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
                .batchSize(Limits.migrationPiece)
            request.includesSubentities = false
            let objects = try context.fetchLazily(request)
            for (place, object) in objects.enumerated() {
                failures += object.validationFailures(for: .insert)
                if failures.count >= Limits.migrationFailures { throw .validation(failures) }
                if place % Limits.migrationPiece == 0 { try tell(.checking) }
            }
        }
        if !failures.isEmpty { throw .validation(failures) }
    }
}
