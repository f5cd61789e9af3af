internal import CofferMerge
internal import CofferModel

/// Records that are one by what registers say.
struct Component {
    let entity: MergeEntity
    let records: Set<RecordID>

    /// The smallest of the records that have come.
    let id: RecordID

    /// `records` must not be empty.
    init?(_ records: Set<RecordID>, state: State, model: MergeModel) {
        guard let id = records.min(), let name = state.lives[id]?.value.entity,
            let entity = model.entities[name]
        else { return nil }
        self.id = id
        self.entity = entity
        self.records = records
    }

    /// The greatest of the records' cells of a property for which `isSeen`; a default that no user chose
    /// yields.
    func cell(
        _ property: String, in state: State, where isSeen: (Cell) -> Bool
    ) -> (cell: Stamped<Cell>, record: RecordID)? {
        let found = records.compactMap { record in
            state.cells[record]?[property].map { (cell: $0, record: record) }
        }
        .filter { isSeen($0.cell.value) }
        let chosen = found.filter { !$0.cell.value.isDefaulted }
        return (chosen.isEmpty ? found : chosen).max {
            $1.cell.isGreater(than: $0.cell) || $1.cell == $0.cell && $0.record < $1.record
        }
    }

    /// The value of an attribute; the model's default if there is no cell.
    func value(_ property: String, in state: State) -> AttributeValue {
        guard let attribute = entity.attributes[property] else { return .null }
        let greatest = cell(property, in: state) { attribute.seen($0) != nil }
        return greatest.flatMap { attribute.seen($0.cell.value) } ?? attribute.defaultValue
    }

    /// The large value of an attribute.
    func largeValue(_ property: String, in state: State) -> LargeValue? {
        guard let attribute = entity.attributes[property],
            let greatest = cell(property, in: state, where: { attribute.seen($0) != nil }),
            case .large(let value) = greatest.cell.value.content
        else { return nil }
        return value
    }

    /// The cell of a to-one relationship.
    func reference(_ property: String, in state: State) -> (cell: Stamped<Cell>, record: RecordID)? {
        cell(property, in: state) { cell in
            switch cell.content {
            case .null, .record: true
            case .value, .large: false
            }
        }
    }
}

/// All records of known entities that have come, joined by `same`, through those also that have not come.
struct Components {
    let all: [Component]
    /// Of which component a record is.
    let place: [RecordID: Int]

    init(of state: State, in model: MergeModel) {
        var all: [Component] = []
        var place: [RecordID: Int] = [:]
        var reached: Set<RecordID> = []
        for start in state.lives.keys.sorted() where !reached.contains(start) {
            var records: Set<RecordID> = [start]
            var waiting = [start]
            while let record = waiting.popLast() {
                for other in state.sames(of: record) where records.insert(other).inserted {
                    waiting.append(other)
                }
            }
            reached.formUnion(records)
            let known = records.filter { record in
                state.lives[record].map { model.entities[$0.value.entity] != nil } ?? false
            }
            guard let component = Component(known, state: state, model: model) else { continue }
            for record in known { place[record] = all.count }
            all.append(component)
        }
        self.all = all
        self.place = place
    }
}
