package import Coffer
import CofferCoordination
import CofferLinux
import CofferModel
package import CofferStores
import CofferWire

/// Makes the objects of a new store of those of the old one.
///
/// The progress is told now and then, and `false` ends it.
package typealias MigrationFiller = (
    MigrationCopy, @escaping (MigrationProgress) -> Bool
) throws(CofferError) -> Void

/// The migration of a store file by a mapping model that cannot be followed in the file itself.
struct MappedMigration {
    let folder: Folder
    let fileName: String
    let source: ManagedObjectModel
    let destination: StoreModel
    let mapping: MappingModel
    let policies: [String: () -> any EntityMigrationPolicy]
    let configuration: String
    let options: StoreOptions
    /// What makes the objects instead of this process; `nil` if this process makes them.
    var filler: MigrationFiller?

    /// What would be done, and all that is in the way as far as it is known before.
    ///
    /// What becomes of values is known only when they are made.
    func plan(
        of store: PersistentStore, while goesOn: () -> Bool = { true }
    ) throws(CofferError) -> MigrationPlan {
        var plan = MigrationPlan()
        for text in problems { plan.obstacles.append(.notInferable(text: text)) }
        if !plan.obstacles.isEmpty { return plan }
        // The new file, and the copy of before.
        (plan.byteCount, plan.isReturn) = try translating { () throws(StoreError) in
            (
                try 2 * store.file.byteCounts().file,
                try StoreMigration.isReturn(of: store.file, to: destination)
            )
        }
        let coordinator = EmbeddedCoordinator(model: source)
        coordinator.add(store, name: fileName)
        let context = ManagedObjectContext(coordinator: coordinator)
        let compiled = try compiled()
        var made: Set<Int> = []
        for mapping in compiled {
            guard let entity = mapping.destination else { continue }
            if !goesOn() { throw CofferError(.interrupted) }
            made.insert(entity.index)
            plan.entities.append(try Self.entity(mapping, entity, in: context))
        }
        for entity in destination.model.entities where !entity.isAbstract && !made.contains(entity.index) {
            plan.entities.append(.init(name: entity.name, change: .added, objectCount: 0))
        }
        for entity in source.entities where !entity.isAbstract {
            if !goesOn() { throw CofferError(.interrupted) }
            let takers = compiled.filter {
                $0.source?.index == entity.index
                    && ($0.destination != nil || policyFactory(of: $0.mapping) != nil)
            }
            let dropped = try Self.count(entity, outside: takers, in: context)
            if dropped == 0, !takers.isEmpty { continue }
            plan.entities.append(.init(name: entity.name, change: .removed, objectCount: dropped))
        }
        return plan
    }

    /// Migrates the store as `plan` says.
    ///
    /// - Throws: `.refused` with the reason `unmigratable` if something is in the way, what policies throw,
    ///   `.validation` and `.constraints` if objects break the rules of the new model; what the disk says.
    ///   Then the store is as it was.
    func run(
        _ plan: MigrationPlan, keepingBackup keepsBackup: Bool,
        progress: @escaping (MigrationProgress) -> Bool
    ) throws(CofferError) -> EmbeddedMigration {
        if !plan.obstacles.isEmpty {
            throw CofferError(
                .unmigratable(path: folder.path(of: fileName), obstacles: plan.obstacles))
        }
        let whole = try translating { () throws(StoreError) in try wholeFile() }
        var outcome = try migrate(whole, keepingBackup: keepsBackup, progress)
        if let whole {
            outcome = try translating { () throws(StoreError) in
                try whole.publish(as: destination, numbering: true, keepingBackup: keepsBackup)
            }
        }
        return EmbeddedMigration(
            plan: plan, number: outcome.number, backup: outcome.backup.map { folder.path(of: $0) })
    }

    /// Migrates the file, or the store in memory that stands for it.
    private func migrate(
        _ whole: WholeFileMigration?, keepingBackup keepsBackup: Bool,
        _ progress: @escaping (MigrationProgress) -> Bool
    ) throws(CofferError) -> MigrationCopy.Outcome {
        let copy = try translating { () throws(StoreError) in
            try MigrationCopy(
                of: whole?.databaseName ?? fileName, in: whole?.databaseFolder ?? folder, to: destination,
                configuration: configuration, options: whole == nil ? options : options.inMemory)
        }
        do throws(CofferError) {
            try (filler ?? fill)(copy, progress)
            if !progress(.history) { throw CofferError(.interrupted) }
            return try translating { () throws(StoreError) in
                try copy.publish(keepingBackup: keepsBackup && whole == nil)
            }
        } catch {
            copy.abandon()
            throw error
        }
    }

    /// The store in memory, if its file is written as a whole.
    private func wholeFile() throws(StoreError) -> WholeFileMigration? {
        guard let type = try StoreType.ofWholeFile(fileName, in: folder) else { return nil }
        return try WholeFileMigration(
            of: fileName, in: folder, as: type, configuration: configuration, options: options)
    }

    private func fill(
        _ copy: MigrationCopy, _ progress: @escaping (MigrationProgress) -> Bool
    ) throws(CofferError) {
        guard let old = copy.source, let new = copy.destination else { return }
        let from = EmbeddedCoordinator(model: source)
        let to = EmbeddedCoordinator(model: destination.model)
        try translating { () throws(StoreError) in
            from.add(try PersistentStore(file: old), name: fileName)
            to.add(try PersistentStore(file: new), name: fileName)
        }
        let compiled = try compiled()
        let manager = try MigrationManager(
            mapping, compiled: compiled,
            policies: compiled.map { policyFactory(of: $0.mapping)?() ?? MappedPolicy() }, from: from, to: to,
            keeping: MigrationPairsOnDisk())
        defer { manager.dismissPolicies() }
        try MappedMigrationRun(manager, progress: progress).run()
    }
}

extension MappedMigration {
    /// What makes the policy of an entity mapping: that of its name, else that of its class.
    private func policyFactory(of mapping: MappingModel.Entity) -> (() -> any EntityMigrationPolicy)? {
        mapping.policyFactory(among: policies)
    }

    /// Whether some policy is asked.
    var usesPolicies: Bool { mapping.entities.contains { policyFactory(of: $0) != nil } }

    /// What is in the way, in sentences.
    private var problems: [String] {
        var problems = mapping.problems(from: source, to: destination.model).map(\.description)
        for entity in mapping.entities {
            guard let name = entity.policyClassName, name != MappedPolicy.usualName,
                policyFactory(of: entity) == nil
            else { continue }
            problems.append(
                "The mapping model's '\(entity.name)' cannot be followed: the class '\(name)' is to make its "
                    + "objects, and no policy was given for that name.")
        }
        do throws(MigrationError) {
            try StoreMigration.checkVersions(of: mapping, from: source, to: destination.model)
        } catch {
            problems.append(error.description)
        }
        return problems
    }

    private func compiled() throws(CofferError) -> [CompiledMapping] {
        try CompiledMapping.all(of: mapping, from: source, to: destination.model)
    }

    private static func entity(
        _ mapping: CompiledMapping, _ entity: EntityDescription, in context: ManagedObjectContext
    ) throws(CofferError) -> MigrationPlan.Entity {
        var count = 0
        if let source = mapping.source {
            count = try self.count(source, mapping.predicate, in: context)
        }
        let formerName = mapping.source.flatMap { $0.name == entity.name ? nil : $0.name }
        let said = mapping.mapping.attributes + mapping.mapping.relationships
        var properties: [MigrationPlan.Property] = []
        for property in said {
            guard let detail = property.value.text else { continue }
            var told = MigrationPlan.Property(name: property.name, change: .converted, detail: detail)
            told.changedCount = count
            properties.append(told)
        }
        return .init(
            name: entity.name, formerName: formerName, change: mapping.source == nil ? .added : .converted,
            objectCount: count, properties: properties)
    }

    private static func count(
        _ entity: EntityDescription, _ predicate: QueryPredicate?, in context: ManagedObjectContext
    ) throws(CofferError) -> Int {
        var request = FetchRequest<ManagedObject>(entityName: entity.name, predicate)
        request.includesSubentities = false
        return try context.count(for: request)
    }

    /// How many objects no mapping takes.
    private static func count(
        _ entity: EntityDescription, outside takers: [CompiledMapping], in context: ManagedObjectContext
    ) throws(CofferError) -> Int {
        var taken: [QueryPredicate] = []
        for taker in takers {
            guard let predicate = taker.predicate, predicate != .always(true) else { return 0 }
            taken.append(predicate)
        }
        return try count(entity, taken.isEmpty ? nil : .not(.or(taken)), in: context)
    }
}

extension MappingModel.Value {
    /// The expression, for people; `nil` if there is none.
    fileprivate var text: String? {
        switch self {
        case .automatic, .none: nil
        case .expression(let text): text
        case .mapped(let name, let objects): name.map { "what '\($0)' makes of \(objects)" } ?? objects
        case .mappedRelationship(_, let objects): "what is made of \(objects)"
        }
    }
}
