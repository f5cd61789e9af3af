internal import CofferMerge

/// What went wrong in a schedule.
package struct Divergence: Error, Sendable, CustomStringConvertible {
    let fault: Fault
    /// Whose step it was; `nil` if it is of all.
    let peer: Int?

    init(_ fault: Fault, peer: Int? = nil) {
        self.fault = fault
        self.peer = peer
    }

    enum Fault: Sendable {
        /// An edit brought an object that its author did not see.
        case risen(RecordID)
        /// An edit of something else made an object vanish.
        case vanished(RecordID)
        /// An object is seen otherwise than its author saw it: first his, then the graph's.
        case changed(SeenObject, SeenObject)
        /// An edit joined or split records.
        case remade(SeenObject, SeenObject)
        /// A fold did not come to an end.
        case unsettled
        /// The graph kept up to date is not the one by definition.
        case undefined(SeenGraph, SeenGraph)
        /// What rules promise does not hold.
        case broken(String)
        /// Two peers have all, and differ.
        case unequal(Int, Int, String)
        /// A fold repeated after a crash wrote something else.
        case unrepeatable
    }

    /// What went wrong, in a sentence.
    package var description: String {
        let place = peer.map { "peer \($0): " } ?? ""
        return place + message
    }

    private var message: String {
        switch fault {
        case .risen(let name): "\(name.label) was not there and is seen after an edit"
        case .vanished(let name): "\(name.label) was seen, was not deleted, and is gone"
        case .changed(let row, let seen): "\(row.id.label) \(row.difference(from: seen))"
        case .remade(let old, let new):
            "\(old.id.label) was made of \(old.records.labels) and is made of \(new.records.labels)"
        case .unsettled: "the fold did not come to an end"
        case .undefined(let seen, let defined):
            "kept up to date the graph differs: \(seen.difference(from: defined))"
        case .broken(let sentence): sentence
        case .unequal(let one, let other, let difference):
            "peers \(one) and \(other) have all and differ: \(difference)"
        case .unrepeatable: "a fold that was repeated wrote something else"
        }
    }
}

extension SeenObject {
    /// What differs, told as 'is to be … and is …'.
    func difference(from other: SeenObject) -> String {
        var found: [String] = []
        for property in Set(values.keys).union(other.values.keys).sorted()
        where values[property] != other.values[property] {
            found.append(
                "\(property) should be \(values[property]?.label ?? "none"), is \(other.values[property]?.label ?? "none")"
            )
        }
        for property in Set(largeValues.keys).union(other.largeValues.keys).sorted()
        where largeValues[property] != other.largeValues[property] {
            found.append("\(property) has a large value in one, or another")
        }
        for property in Set(references.keys).union(other.references.keys).sorted()
        where references[property] != other.references[property] {
            found.append(
                "\(property) should be \(references[property]?.label ?? "none"), "
                    + "is \(other.references[property]?.label ?? "none")")
        }
        for property in Set(members.keys).union(other.members.keys).sorted()
        where members[property] != other.members[property] {
            found.append(
                "\(property) should be \((members[property] ?? []).labels), is \((other.members[property] ?? []).labels)"
            )
        }
        for property in Set(orders.keys).union(other.orders.keys).sorted()
        where orders[property] != other.orders[property] {
            found.append(
                "the order of \(property) should be \((orders[property] ?? []).map(\.label)), "
                    + "is \((other.orders[property] ?? []).map(\.label))")
        }
        if records != other.records { found.append("made of \(records.labels) or \(other.records.labels)") }
        return found.joined(separator: "; ")
    }
}

extension SeenGraph {
    /// What differs in short.
    func difference(from other: SeenGraph) -> String {
        var found: [String] = []
        for name in Set(objects.keys).union(other.objects.keys).sorted() {
            switch (objects[name], other.objects[name]) {
            case (let one?, let two?):
                if one != two { found.append("\(name.label) \(one.difference(from: two))") }
            case (nil, _?): found.append("\(name.label) is missing")
            case (_?, nil): found.append("\(name.label) is too much")
            case (nil, nil): continue
            }
        }
        if dead != other.dead { found.append("dead: \(dead.symmetricDifference(other.dead).labels)") }
        if violations != other.violations { found.append("violations differ") }
        return found.prefix(4).joined(separator: ", ")
    }
}
