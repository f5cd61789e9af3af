internal import CofferModel
internal import CofferWire

/// Checks form and types of a whole request, none of which is trusted, before anything is done with it.
struct SaveRequestCheck {
    private let writer: StoreWriter
    /// Whether other machines' saves are written, which say when they were made.
    private let isImport: Bool

    init(_ writer: StoreWriter, isImport: Bool) { (self.writer, self.isImport) = (writer, isImport) }

    /// - Throws: `unknownEntity`, `malformedRequest`, `wrongType` and other errors that make the request
    ///   impossible whatever the store contains.
    func check(_ save: SaveRequestMessage) throws(StoreError) {
        for group in save.inserts {
            let plan = try writer.plan(group.entity)
            guard !plan.description.isAbstract else {
                throw .malformedRequest("'\(plan.name)' is abstract and has no objects")
            }
            try ColumnCheck.check(group.columns, rows: group.temporaryIDs.count, of: plan)
            try checkNotDerived(group.columns, of: plan)
        }
        for group in save.updates {
            let plan = try writer.plan(group.entity)
            guard group.versions.count == group.primaryKeys.count else {
                throw .malformedRequest("an update of '\(plan.name)' does not have one version for each key")
            }
            try ColumnCheck.check(group.columns, rows: group.primaryKeys.count, of: plan)
            try checkNotDerived(group.columns, of: plan)
            try checkSnapshot(group.oldColumns, of: group, plan)
            try checkSnapshot(group.otherColumns, of: group, plan)
            try checkNotDerived(group.otherColumns, of: plan)
        }
        for group in save.deletes {
            let plan = try writer.plan(group.entity)
            guard group.versions.count == group.primaryKeys.count else {
                throw .malformedRequest("a delete of '\(plan.name)' does not have one version for each key")
            }
            let isFitting =
                group.detachedProperties.count == group.detachedRows.count
                && group.detachedRows.allSatisfy { $0 < group.primaryKeys.count }
                && group.detachedProperties.allSatisfy { $0 < plan.properties.count }
            guard isFitting else {
                throw .malformedRequest("a delete of '\(plan.name)' detaches what it does not have")
            }
        }
    }

    /// Checks what the client has read of the objects that a group updates.
    private func checkSnapshot(
        _ columns: [Column], of group: UpdateGroup, _ plan: EntityPlan
    ) throws(StoreError) {
        if columns.isEmpty { return }
        try ColumnCheck.check(columns, rows: group.primaryKeys.count, of: plan)
        if columns.contains(where: { $0.namesInserted }) {
            throw .malformedRequest("a snapshot of '\(plan.name)' names an object that is not saved")
        }
    }

    private func checkNotDerived(_ columns: [Column], of plan: EntityPlan) throws(StoreError) {
        guard plan.hasDerived else { return }
        for column in columns {
            guard let property = plan.properties[column.property], property.isDerived,
                !(isImport && property.isTimeOfSave)
            else { continue }
            throw .unsupported(
                entity: plan.name, property: property.name,
                detail: "it is derived: only the store writes it")
        }
    }
}
