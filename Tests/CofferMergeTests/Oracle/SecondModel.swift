import CofferMerge
import CofferModel

/// The rules of merging once more, in another way than the reference's.
///
/// Ported from the model that was written from the text of the rules alone; it knows no places.
struct SecondModel {
    let state: State
    let model: MergeModel
    /// The records of known entities that came.
    let known: [RecordID]
    /// Joined by what registers say.
    let sealed: Union

    init(_ state: State, model: MergeModel) {
        self.state = state
        self.model = model
        known = state.lives.filter { model.entities[$0.value.value.entity] != nil }.map(\.key).sorted()
        var sealed = Union()
        for key in state.sames.keys { sealed.join(key.first, key.second) }
        self.sealed = sealed
    }

    /// Objects: names and their records, which are of the entity of the one that names them.
    typealias Objects = [RecordID: [RecordID]]

    /// Where the to-one relationships of objects lead.
    struct End: Hashable {
        let object: RecordID
        let property: String
    }

    func entity(_ object: RecordID) -> MergeEntity? {
        state.lives[object].flatMap { model.entities[$0.value.entity] }
    }

    /// The objects that registers make, dead ones too.
    func components() -> Objects {
        var groups: Objects = [:]
        for record in known { groups[sealed.head(record), default: []].append(record) }
        return Dictionary(uniqueKeysWithValues: groups.values.map { ($0[0], $0) })
    }

    /// The greatest cell of the records, and whose it is; a default that no user chose counts only without
    /// another cell.
    func pick(_ property: String, of records: [RecordID]) -> (cell: Stamped<Cell>, record: RecordID)? {
        var best: (cell: Stamped<Cell>, record: RecordID)?
        var weak: (cell: Stamped<Cell>, record: RecordID)?
        for record in records {
            guard let cell = state.cells[record]?[property] else { continue }
            if cell.value.isDefaulted {
                if weak.map({ cell == $0.cell || cell.isGreater(than: $0.cell) }) ?? true {
                    weak = (cell, record)
                }
            } else if best.map({ cell == $0.cell || cell.isGreater(than: $0.cell) }) ?? true {
                best = (cell, record)
            }
        }
        return best ?? weak
    }

    /// The links of each property that may lead round in no circle, less the latest of every circle.
    func cut(_ ends: inout [End: (target: RecordID, stamp: Stamp)]) {
        let acyclic = ends.keys.filter { entity($0.object)?.references[$0.property]?.isAcyclic == true }
        var done: Set<End> = []
        var cut: [End] = []
        for start in acyclic where !done.contains(start) {
            var path: [End] = []
            var at: End? = start
            while let end = at, ends[end] != nil, acyclic.contains(end), !done.contains(end),
                !path.contains(end)
            {
                path.append(end)
                at = ends[end].map { End(object: $0.target, property: end.property) }
            }
            if let at, let first = path.firstIndex(of: at) {
                var latest = at
                for end in path[first...] {
                    guard let one = ends[end], let other = ends[latest] else { continue }
                    if (other.stamp, latest.object) < (one.stamp, end.object) { latest = end }
                }
                cut.append(latest)
            }
            done.formUnion(path)
        }
        for end in cut { ends[end] = nil }
    }
}
