import CofferModel
import CofferStores
import CofferWire

/// What a whole row of one entity consists of: its stored attributes and to-one relationships, in the order of its properties.
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

    init(_ entity: SQLEntity, in model: ManagedObjectModel) {
        self.entity = entity.index
        tree = model.entities[entity.index].rootIndex
        properties = entity.columns.enumerated().compactMap { index, column in
            switch column {
            case .attribute(_, let type): Property(index: index, type: type)
            case .toOne: Property(index: index, type: nil)
            case .toMany, .manyToMany, .unsupported, nil: nil
            }
        }
    }

    /// The columns by place in `properties`; `nil` where one is missing, unless missing ones are null.
    func columns(of given: [Column], missingAreNull: Bool) -> [Column?]? {
        if given.count == properties.count, zip(given, properties).allSatisfy({ $0.property == $1.index }) {
            return given
        }
        if !missingAreNull { return nil }
        return properties.map { property in given.first { $0.property == property.index } }
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
