package import CofferMerge
internal import CofferModel

/// What one kind of edit costs: to fold it, and to see it elsewhere.
package struct EditCost: Sendable, CustomStringConvertible {
    let kind: String
    let records: Int
    let fold: Duration
    let join: Duration

    /// In microseconds for each edit.
    package var description: String {
        "\(kind), \(records) records: fold \(Self.microseconds(fold)) µs, see \(Self.microseconds(join)) µs"
    }

    private static func microseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    }

    private static func record(_ number: Int) -> RecordID { RecordID(high: UInt64(number), low: 0) }
    private static func text(_ text: String) -> Cell { Cell(.value(.string(text))) }
    private static func link(_ number: Int) -> Cell { Cell(.record(record(number))) }

    /// Costs in a store of so many records: a hundredth are folders in one root, the rest are items that have
    /// a folder and name a buddy, and people of one department.
    package static func measured(of records: Int, model: MergeModel) -> [EditCost] {
        var one = Replica(model)
        let folders = records / 100
        var edit: [LocalEdit.Change] = [
            .insert(record(1), entity: "Folder"), .insert(record(2), entity: "Dept"),
        ]
        for number in 3..<max(4, records) {
            let name = record(number)
            if number < folders {
                edit += [.insert(name, entity: "Folder"), .set(name, "parent", link(1))]
            } else if number % 2 == 0 {
                edit += [
                    .insert(name, entity: "Item"),
                    .set(name, "shows", link(3 + number % max(1, folders - 3))),
                ]
            } else {
                edit += [
                    .insert(name, entity: "Person"), .set(name, "email", text("e\(number)")),
                    .set(name, "name", text("n\(number)")), .set(name, "dept", link(2)),
                ]
            }
        }
        let first = one.fold([LocalEdit(at: 1, edit)], by: FoldAuthor(PeerID(1), number: 0, salt: 1))
        var other = Replica(model)
        other.join(first.registers)
        let half = records / 2
        let (item, person) = (record(half / 2 * 2), record(half / 2 * 2 + 1))
        let kinds: [(String, (Int) -> [LocalEdit.Change])] = [
            ("an attribute", { [.set(item, "name", text("\($0)"))] }),
            ("a key", { [.set(person, "email", text("f\($0)"))] }),
            ("a folder's name", { [.set(record(1), "name", text("\($0)"))] }),
            ("a link", { [.set(item, "shows", link(3 + $0 % 5))] }),
            (
                "a marriage",
                { _ in
                    [
                        .set(person, "spouse", link(half / 2 * 2 + 3)),
                        .set(record(half / 2 * 2 + 3), "spouse", Cell(.record(person))),
                    ]
                }
            ),
            (
                "an insert",
                {
                    [
                        .insert(record(records + $0), entity: "Item"),
                        .set(record(records + $0), "shows", link(4)),
                    ]
                }
            ),
        ]
        return kinds.map { kind, change in
            let turns = 5
            var (fold, join) = (Duration.zero, Duration.zero)
            for turn in 1...turns {
                let clock = ContinuousClock()
                var registers: [Register] = []
                let edit = LocalEdit(at: Int64(turn), change(turn))
                let author = FoldAuthor(PeerID(1), number: UInt64(turn), salt: 1)
                fold += clock.measure { registers = one.fold([edit], by: author).registers }
                join += clock.measure { other.join(registers) }
            }
            return EditCost(kind: kind, records: records, fold: fold / turns, join: join / turns)
        }
    }
}
