internal import CofferModel

/// Records of known entities that are one: by registers alone, dead ones too, or as they are seen.
struct SealedObject {
    let records: RecordGroup
    /// The entity of the record that names it.
    let entity: MergeEntity
    private let view: RegisterView
    /// The cells of the first record.
    private let cells: PropertyMap<Stamped<Cell>>

    /// What a to-one relationship names, whether or not it has come.
    struct Name {
        let record: RecordID
        let stamp: Stamp
        /// In whose cell it stands.
        let holder: RecordID
    }

    /// An object of records that are known, of the entity of the first of them.
    init(_ records: RecordGroup, of entity: MergeEntity, in view: RegisterView) {
        (self.records, self.entity, self.view) = (records, entity, view)
        cells = view.cells(of: records.first)
    }

    /// The smallest of the records.
    var id: RecordID { records.first }

    /// What a to-one relationship names: the greatest of all its records' cells; `nil` if that is null.
    func name(_ property: String) -> Name? {
        let found = greatest(property) { cell in
            switch cell.content {
            case .null, .record: true
            case .value, .large: false
            }
        }
        guard let found, let record = found.cell.value.record else { return nil }
        return Name(record: record, stamp: found.cell.stamp, holder: found.holder)
    }

    /// The records that its to-one relationships name.
    var named: [RecordID] { entity.references.keys.compactMap { name($0)?.record } }

    /// The value of an attribute: the model's default if no cell holds one; null, and which one it is, if it
    /// is large.
    func value(_ property: String, of attribute: MergeAttribute) -> (
        value: AttributeValue, large: LargeValue?
    ) {
        guard let cell = greatest(property, where: { attribute.seen($0) != nil })?.cell.value else {
            return (attribute.defaultValue, nil)
        }
        if case .large(let large) = cell.content { return (.null, large) }
        return (attribute.seen(cell) ?? attribute.defaultValue, nil)
    }

    /// The greatest of the records' cells of a property for which `isSeen`; a value that was not chosen
    /// yields.
    private func greatest(
        _ property: String, where isSeen: (Cell) -> Bool
    ) -> (cell: Stamped<Cell>, holder: RecordID)? {
        var greatest: (cell: Stamped<Cell>, holder: RecordID)?
        for record in records {
            let cells = record == id ? cells : view.cells(of: record)
            guard let cell = cells[property], isSeen(cell.value) else { continue }
            if let old = greatest, !isGreater((cell, record), than: old) { continue }
            greatest = (cell, record)
        }
        return greatest
    }

    /// Of equal cells that of the greater record.
    private func isGreater(
        _ one: (cell: Stamped<Cell>, holder: RecordID),
        than other: (cell: Stamped<Cell>, holder: RecordID)
    ) -> Bool {
        let isDefaulted = (one.cell.value.isDefaulted, other.cell.value.isDefaulted)
        if isDefaulted.0 != isDefaulted.1, !view.memory.model.omitted.contains(.yieldingDefaults) {
            return isDefaulted.1
        }
        if one.cell == other.cell { return one.holder > other.holder }
        return one.cell.isGreater(than: other.cell)
    }
}
