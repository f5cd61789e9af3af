internal import CofferModel

/// Records of known entities that are one: by registers alone, dead ones too, or as they are seen.
struct SealedObject: Sendable {
    /// The smallest of the records.
    let id: RecordID
    let records: Set<RecordID>
    /// The entity of the record that names it.
    let entity: MergeEntity
    /// What its to-one relationships name, by property: the greatest of all its records.
    let names: PropertyMap<Name>
    /// Of these, the properties that name nobody, since they would close a circle.
    var cut: Set<String> = []
    /// Whether what nobody chose yields.
    private let isYielding: Bool

    /// A record that is named, whether or not it has come.
    struct Name: Sendable {
        let record: RecordID
        let stamp: Stamp
        /// In whose cell it stands.
        let holder: RecordID
    }

    /// `records` must not be empty.
    init?(_ records: Set<RecordID>, state: State, model: MergeModel) {
        guard let id = records.min(), let life = state.lives[id],
            let entity = model.entities[life.value.entity]
        else { return nil }
        self.id = id
        self.records = records
        isYielding = !model.omitted.contains(.yieldingDefaults)
        self.entity = entity
        var names: PropertyMap<Name> = [:]
        for property in entity.references.keys {
            let found = Self.greatest(property, of: records, in: state, isYielding: isYielding) { cell in
                switch cell.content {
                case .null, .record: true
                case .value, .large: false
                }
            }
            guard let found, let record = found.cell.value.record else { continue }
            names[property] = Name(record: record, stamp: found.cell.stamp, holder: found.holder)
        }
        self.names = names
    }

    /// The value of an attribute; the model's default where no cell holds one, null where it is large.
    func value(_ property: String, in state: State) -> AttributeValue {
        guard let attribute = entity.attributes[property] else { return .null }
        return cell(of: attribute, property, in: state).flatMap { attribute.seen($0) }
            ?? attribute.defaultValue
    }

    /// The large value of an attribute; `nil` where it is none.
    func largeValue(_ property: String, in state: State) -> LargeValue? {
        guard let attribute = entity.attributes[property],
            case .large(let value) = cell(of: attribute, property, in: state)?.content
        else { return nil }
        return value
    }

    private func cell(of attribute: MergeAttribute, _ property: String, in state: State) -> Cell? {
        Self.greatest(property, of: records, in: state, isYielding: isYielding) {
            attribute.seen($0) != nil
        }?.cell.value
    }

    /// The greatest of the records' cells of a property for which `isSeen`; what nobody chose yields.
    private static func greatest(
        _ property: String, of records: Set<RecordID>, in state: State, isYielding: Bool,
        where isSeen: (Cell) -> Bool
    ) -> (cell: Stamped<Cell>, holder: RecordID)? {
        var greatest: (cell: Stamped<Cell>, holder: RecordID)?
        for record in records {
            guard let cell = state.cells[record]?[property], isSeen(cell.value) else { continue }
            if let old = greatest, !isGreater((cell, record), than: old, isYielding: isYielding) { continue }
            greatest = (cell, record)
        }
        return greatest
    }

    /// Of equal cells that of the greater record.
    private static func isGreater(
        _ one: (cell: Stamped<Cell>, holder: RecordID),
        than other: (cell: Stamped<Cell>, holder: RecordID), isYielding: Bool
    ) -> Bool {
        let isDefaulted = (one.cell.value.isDefaulted, other.cell.value.isDefaulted)
        if isYielding, isDefaulted.0 != isDefaulted.1 { return isDefaulted.1 }
        if one.cell == other.cell { return one.holder > other.holder }
        return one.cell.isGreater(than: other.cell)
    }
}
