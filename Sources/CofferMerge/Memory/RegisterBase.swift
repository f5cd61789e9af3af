/// Where registers are kept, with what was derived of them: what a replica looks up that does not have all of
/// it in memory.
///
/// What it answers is what was kept last. Whatever the replica changes it holds itself, until that is kept.
package protocol RegisterBase: AnyObject, Sendable {
    /// The registers that are kept with a record; `nil` if there are none.
    func page(of record: RecordID) -> RecordPage?
    /// The records whose cells name a record, by property.
    func namers(of record: RecordID) -> PropertyMap<Set<RecordID>>
    /// The pairs that a record stands second in.
    func pairs(to record: RecordID) -> Set<PairKey>
    /// The places that a record has as a member.
    func places(of member: RecordID) -> Set<PlaceKey>
    /// The smaller records that a record is one with.
    func sames(with record: RecordID) -> Set<RecordID>
    /// What was derived of a record, or of the object that it names.
    func facts(of record: RecordID) -> RecordFacts
    /// The objects that share a value of a key.
    func sharing(_ bucket: KeyIndex.Bucket) -> Set<RecordID>
    /// The objects whose keys name a record.
    func keyNamers(of record: RecordID) -> Set<RecordID>
    /// Whether nothing is kept.
    var isEmpty: Bool { get }
    /// All records that have a page; it costs what is kept.
    var records: [RecordID] { get }
    /// The records that are dead.
    var dead: [RecordID] { get }
    /// What the model forbids and is there.
    var violations: [Violation] { get }
    /// How much of that there is.
    var violationCount: Int { get }
    /// How many objects are seen.
    var objectCount: Int { get }
}

/// The registers that are kept with a record.
package struct RecordPage: Sendable {
    /// Whether it is there.
    package private(set) var life: Stamped<Life>?
    /// What its properties hold.
    package private(set) var cells: PropertyMap<Stamped<Cell>> = [:]
    /// The pairs that it stands first in.
    package private(set) var pairs: [PairKey: Stamped<Bool>] = [:]
    /// Where its members stand.
    package private(set) var places: [PlaceKey: Stamped<Place>] = [:]
    /// The greater records that it is one with.
    package private(set) var sames: [SameKey: Stamp] = [:]

    /// A page of a record's registers, no two of one key.
    package init(_ registers: some Sequence<Register>) {
        for register in registers {
            switch register {
            case .life(_, let life): self.life = life
            case .cell(_, let property, let cell): cells[property] = cell
            case .pair(let key, let pair): pairs[key] = pair
            case .place(let key, let place): places[key] = place
            case .same(let key, let stamp): sames[key] = stamp
            }
        }
    }

    /// Its registers, in no order.
    package func registers(of record: RecordID) -> [Register] {
        var registers = life.map { [Register.life(record, $0)] } ?? []
        registers += cells.map { .cell(record, $0, $1) }
        registers += pairs.map { .pair($0, $1) }
        registers += places.map { .place($0, $1) }
        return registers + sames.map { .same($0, $1) }
    }
}

/// What was derived of a record, or of the object that it names.
package struct RecordFacts: Sendable, Hashable {
    /// Whether the record is dead.
    package var isDead = false
    /// The to-one relationships that lead nowhere, by registers alone and as it is seen.
    package var sealedCuts: Set<String> = []
    package var seenCuts: Set<String> = []
    /// What it is seen as, if not as itself.
    package var seenAs: RecordID?
    /// Its records, if it is several by registers.
    package var merged: RecordGroup?
    /// What others take of its keys.
    package var taken: Set<Uniqueness.Taken> = []
    /// What its keys say.
    package var key: KeyIndex.Entry?
    /// What the model forbids of it.
    package var violations: Set<Violation> = []

    package init() {}
}
