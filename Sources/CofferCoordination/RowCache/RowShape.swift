import CofferModel
import CofferStores
import CofferWire

/// What is kept of a row of one entity: its stored attributes and to-one relationships, in the order of its properties.
///
/// Values of attributes that allow external storage are not kept, large or small: few of them would push everything else out of memory,
/// and hardly anybody asks for one twice.
struct RowShape: Sendable {
    /// One property that a row has a value of.
    struct Property: Sendable {
        /// Its place in the entity's properties.
        let index: Int
        /// `nil` for a to-one relationship.
        let type: AttributeType?
    }

    /// The entity.
    let entity: Int
    /// The root of its inheritance tree.
    let tree: Int
    /// In ascending order of their places.
    let properties: [Property]
    /// The places of the attributes whose values are not kept.
    let omitted: [Int]

    init(_ entity: SQLEntity, in model: ManagedObjectModel) {
        self.entity = entity.index
        tree = model.entities[entity.index].rootIndex
        let omitted = model.entities[entity.index].externalIndices
        self.omitted = omitted
        properties = entity.columns.enumerated().compactMap { index, column in
            if omitted.contains(index) { return nil }
            return switch column {
            case .attribute(_, let type): Property(index: index, type: type)
            case .toOne: Property(index: index, type: nil)
            case .toMany, .manyToMany, .unsupported, nil: nil
            }
        }
    }

    /// The columns by place in `properties`; `nil` where one is missing, unless missing ones are null.
    func columns(of given: [Column], missingAreNull: Bool) -> [Column?]? {
        if given.count == properties.count, zip(given, properties).allSatisfy({ $0.property == $1.index }) {
            return given.map { $0 }  // To convert the array itself would cast each element.
        }
        if !missingAreNull, omitted.isEmpty { return nil }
        let columns = properties.map { property in given.first { $0.property == property.index } }
        return missingAreNull || !columns.contains { $0 == nil } ? columns : nil
    }

    /// Whether rows have a column for each property, among others or in another order.
    func isWithin(_ rows: PackedRows) -> Bool {
        let given = (0..<rows.columnCount).map { rows.property($0) }
        return properties.allSatisfy { given.contains($0.index) }
    }

    /// The place in `properties` of a property of the entity.
    func place(of property: Int) -> Int? {
        properties.firstIndex { $0.index == property }
    }
}

extension Column {
    /// Whether what a file gives back may be written differently: decimals lose zeros at their end, and not-a-number becomes null.
    var mayReadDifferently: Bool {
        switch values {
        case .decimals: true
        case .doubles(let numbers): numbers.contains { $0.isNaN }
        case .floats(let numbers): numbers.contains { $0.isNaN }
        case .integers, .bits, .bytes, .uuids, .references: false
        }
    }
}
