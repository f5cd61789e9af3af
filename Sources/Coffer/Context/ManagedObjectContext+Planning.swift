import CofferLinux
import CofferModel

/// The locale whose rules localized orders follow if a request does not name one.
enum ContextLocale {
    /// The locale of the process's environment.
    static let own = Collation.locale(of: CurrentProcess.environment)
}

/// What a fetch request comes to: what is sent where, and what is done with the answers.
struct FetchPlan {
    var entity: EntityDescription
    var description: FetchDescription
    /// Where to send it; nowhere if a parent context is asked.
    var stores: [Int16]
    /// The stores that a parent context is to ask, by name; all if it is empty.
    var affectedStores: [String]
    /// The context's changes that take part; `nil` if there are none.
    var overlay: PendingOverlay?
    var offset: Int
    var limit: Int?
    /// Whether the store or parent that is asked leaves out what is before the offset and after the limit.
    var isWindowedThere: Bool
    /// The place in the application that fetches.
    var label: String?
    /// What is read of faults, and of what relationships lead to.
    var extent: RowExtent
}

extension ManagedObjectContext {
    /// Decides what to send for a request.
    func plan<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(CofferError) -> FetchPlan {
        mergeUnasked()
        processPendingChanges()
        let entity = try entity(named: request.entityName ?? entityName(of: Object.self))
        followStores()
        var description = FetchDescription(entityName: entity.name, predicate: request.predicate)
        description.sortDescriptors = request.sortDescriptors
        description.locale = request.locale ?? ContextLocale.own
        description.includesSubentities = request.includesSubentities
        description.propertiesToFetch = request.propertiesToFetch
        if request.includesExternalValues, request.propertiesToFetch.isEmpty {
            let layout = registry.layout(entity.index)
            if !layout.externalSlots.isEmpty {
                description.propertiesToFetch = layout.storedSlots.map { entity.properties[$0].name }
            }
        }
        let family = request.includesSubentities ? entity.familyIndices : entity.index..<(entity.index + 1)
        let places = try self.places(named: request.affectedStores, keeping: entity)
        let overlay = request.includesPendingChanges ? pendingOverlay(of: family, in: places) : nil
        let stores = link == nil ? places ?? storesByEntity[entity.index] : []
        let window = request.window
        let limit = window.limit ?? 0
        let isWindowedThere = overlay == nil && stores.count < 2
        if isWindowedThere {
            description.limit = limit
            description.offset = window.offset
        } else if limit > 0 {
            // Both may be as large as anybody likes.
            let (end, isPast) = limit.addingReportingOverflow(window.offset)
            let hidden = overlay?.hiddenCount ?? 0
            description.limit = isPast || end > .max - hidden ? .max : end + hidden
        }
        return FetchPlan(
            entity: entity, description: description, stores: stores,
            affectedStores: request.affectedStores, overlay: overlay, offset: window.offset,
            limit: window.limit, isWindowedThere: isWindowedThere, label: request.label,
            extent: request.includesExternalValues ? .whole : .withoutExternal)
    }

    /// The stores of these names that keep an entity; `nil` if none is named, for all that do.
    ///
    /// - Throws: `CofferError.unknown` if no store of a name keeps it.
    func places(named names: [String], keeping entity: EntityDescription) throws(CofferError)
        -> [Int16]?
    {
        if names.isEmpty { return nil }
        refreshStores()
        let candidates = storesByEntity[entity.index]
        for name in names where !candidates.contains(where: { registry.stores[Int($0)].name == name }) {
            throw .unknown(kind: "store for entity '\(entity.name)'", name: name)
        }
        return candidates.filter { names.contains(registry.stores[Int($0)].name) }
    }
}
