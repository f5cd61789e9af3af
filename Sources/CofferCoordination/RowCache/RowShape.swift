import CofferModel
import CofferStores
import CofferWire

/// What is kept of a row of one entity: its stored attributes and to-one relationships, in the order of its
/// properties.
///
/// Values of attributes that allow external storage are not kept, large or small: few of them would push
/// everything else out of memory, and hardly anybody asks for one twice.
struct RowShape: Sendable {
    /// The entity.
    let entity: Int
    /// The root of its inheritance tree.
    let tree: Int
    /// A column for each property that a row has a value of, in ascending order of their places.
    let columns: [ColumnShape]
    /// The places of the attributes whose values are not kept.
    let omitted: [Int]

    init(_ entity: SQLEntity, in model: ManagedObjectModel) {
        self.entity = entity.index
        tree = model.entities[entity.index].rootIndex
        let omitted = model.entities[entity.index].externalIndices
        self.omitted = omitted
        columns = entity.columns.enumerated().compactMap { index, column in
            if omitted.contains(index) { return nil }
            return switch column {
            case .attribute(_, let type): ColumnShape(property: index, kind: ColumnKind(type))
            case .toOne: ColumnShape(property: index, kind: .references)
            case .toMany, .manyToMany, .unsupported, nil: nil
            }
        }
    }

    /// Whether rows have a column for each property that is kept, and versions.
    func isWithin(_ rows: PackedRows) -> Bool {
        guard rows.hasVersions, rows.columnCount >= columns.count else { return false }
        for place in columns.indices where rows.column(of: columns[place].property, near: place) == nil {
            return false
        }
        return true
    }

    /// Whether something is kept of a property of the entity.
    func keeps(_ property: Int) -> Bool { columns.contains { $0.property == property } }
}

extension Column {
    /// Whether what a file gives back may be written differently: decimals lose zeros at their end, and
    /// not-a-number becomes null.
    var mayReadDifferently: Bool {
        switch values {
        case .decimals: true
        case .doubles(let numbers): numbers.contains { $0.isNaN }
        case .floats(let numbers): numbers.contains { $0.isNaN }
        case .integers, .bits, .bytes, .uuids, .references: false
        }
    }
}
