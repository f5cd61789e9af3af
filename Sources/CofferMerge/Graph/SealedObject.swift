/// Records of known entities that registers say are one, dead ones too.
struct SealedObject: Sendable {
    /// The smallest of the records.
    let id: RecordID
    let records: Set<RecordID>
    /// The entity of the record that names it.
    let entity: MergeEntity
    /// What its to-one relationships name, by property: the greatest of all its records.
    let names: [String: Name]
    /// Of these, the properties that name nobody, since they would close a circle.
    var cut: Set<String> = []

    /// A record that is named, whether or not it has come.
    struct Name: Sendable {
        let record: RecordID
        let stamp: Stamp
    }

    /// `records` must not be empty.
    init?(_ records: Set<RecordID>, state: State, model: MergeModel) {
        guard let id = records.min(), let life = state.lives[id],
            let entity = model.entities[life.value.entity]
        else { return nil }
        self.id = id
        self.records = records
        self.entity = entity
        var names: [String: Name] = [:]
        for property in entity.references.keys {
            guard let cell = Self.greatest(property, of: records, in: state), let record = cell.value.record
            else { continue }
            names[property] = Name(record: record, stamp: cell.stamp)
        }
        self.names = names
    }

    /// The greatest of the records' cells of a to-one relationship; what nobody chose yields.
    private static func greatest(
        _ property: String, of records: Set<RecordID>, in state: State
    ) -> Stamped<Cell>? {
        var chosen: Stamped<Cell>?
        var defaulted: Stamped<Cell>?
        for record in records {
            guard let cell = state.cells[record]?[property] else { continue }
            switch cell.value.content {
            case .value: continue
            case .null, .record: break
            }
            if cell.value.isDefaulted {
                if defaulted.map({ cell.isGreater(than: $0) }) ?? true { defaulted = cell }
            } else if chosen.map({ cell.isGreater(than: $0) }) ?? true {
                chosen = cell
            }
        }
        return chosen ?? defaulted
    }
}
