import CofferModel
import CofferWire
import FoundationEssentials

/// Rows of a batch insert, gathered in columns.
struct BatchRows {
    private let layout: EntityLayout
    private let store: UUID
    private let slots: [Int]
    private let names: [String: Int]
    private var builders: [ColumnBuilder]
    private var hasValues: [Bool]
    /// For each property the rows that say what it is; kept if objects of the entity may become one with
    /// stored ones.
    private var assigned: [[Int]]
    private var ids: [UUID] = []
    private var byteCount = 0

    init(_ layout: EntityLayout, store: UUID) {
        self.layout = layout
        self.store = store
        let slots = layout.storedSlots
        self.slots = slots
        names = Dictionary(
            uniqueKeysWithValues: slots.enumerated().map { (layout.entity.properties[$1].name, $0) })
        builders = slots.map { slot in
            layout.attributeTypes[slot].map { ColumnBuilder(property: slot, type: $0) }
                ?? ColumnBuilder(referencesOf: slot)
        }
        hasValues = slots.map { _ in false }
        assigned = slots.map { _ in [] }
    }

    var count: Int { ids.count }

    /// Adds a row; a property that it leaves out has the model's default.
    mutating func append(_ row: [String: AttributeValue]) throws(CofferError) {
        for name in row.keys where names[name] == nil {
            throw .unknown(kind: "attribute or to-one relationship of '\(layout.entity.name)'", name: name)
        }
        for place in slots.indices {
            let property = layout.entity.properties[slots[place]]
            let given = row[property.name]
            let value = given ?? property.attribute?.defaultValue ?? .null
            if given != nil, layout.isUnique { assigned[place].append(count) }
            if value != .null || (given != nil && layout.isUnique) { hasValues[place] = true }
            try append(value, at: place, named: property.name)
        }
        ids.append(UUID())
        byteCount = builders.reduce(16 * ids.count) { $0 + $1.byteCount }
        guard byteCount < Limits.batchBytes else {
            throw .refused(
                code: StatusCode.resourceExhausted.name, reason: "too_large",
                text: "\(ids.count) rows are too many for one transaction: set rowsPerTransaction.",
                place: layout.entity.name)
        }
    }

    private mutating func append(_ value: AttributeValue, at place: Int, named name: String)
        throws(CofferError)
    {
        if let type = layout.attributeTypes[slots[place]] {
            let value = value.adapted(to: type)
            guard value.fits(type) else {
                throw .wrongType(entity: layout.entity.name, property: name, expected: "\(type)")
            }
            do throws(WireError) { try builders[place].append(value) } catch { throw CofferError(error) }
            return
        }
        switch value {
        case .null: builders[place].appendNull()
        case .object(let id):
            guard id.storeUUID == store, let key = id.primaryKey else { fallthrough }
            builders[place].append(reference: key, entity: UInt32(id.entity.index))
        default:
            throw .wrongType(
                entity: layout.entity.name, property: name,
                expected: "the id of a saved object of the same store")
        }
    }

    /// The rows as they travel.
    func group() -> InsertGroup {
        var columns: [Column] = []
        let places = slots.indices.filter { hasValues[$0] }
        for place in places { columns.append(builders[place].finish()) }
        var group = InsertGroup(entity: layout.entity.index, temporaryIDs: ids, columns: columns)
        for (column, place) in places.enumerated() {
            for row in assigned[place] { group.noteAssigned(column, row: row) }
        }
        return group
    }
}
