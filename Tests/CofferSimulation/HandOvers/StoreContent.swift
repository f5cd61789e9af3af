internal import CofferContainer
internal import CofferMerge
internal import CofferModel

/// A log of a file's folds, as it lies in a container.
struct LogName: Hashable, Comparable {
    let peer: PeerID
    let number: UInt64

    static func < (one: LogName, other: LogName) -> Bool {
        (one.peer.number, one.number) < (other.peer.number, other.number)
    }
}

/// What one file of a store holds: registers, saves that are not folded, and logs for its container.
///
/// All of it stays or goes together. Objects are called by numbers, which their only attribute shows.
struct StoreContent {
    private(set) var replica: Replica
    /// How many objects show each number, with what is not folded.
    private(set) var shown: [Int: Int] = [:]
    private var open: [LocalEdit] = []
    let peer: PeerID
    private var lastFold: UInt64 = 0
    /// What it knows of the container that it was filled from.
    var memory = ContainerMemory()
    /// The logs that it wrote.
    private(set) var outbox: [LogName: [Register]] = [:]
    /// Those that its container has.
    private(set) var written: Set<LogName> = []
    /// Those of others that were read.
    private(set) var read: Set<LogName> = []

    /// A file that holds nothing, whose folds are this peer's.
    init(_ peer: PeerID, _ model: MergeModel) {
        self.peer = peer
        replica = Replica(model)
    }

    /// The model of all files.
    static func model() throws -> MergeModel {
        MergeModel(try ManagedObjectModel { Entity("Note") { Field("number", .integer64).optional() } })
    }

    /// A change that a client saves.
    enum Change: Hashable {
        case insert(Int)
        case delete(Int)
    }

    /// The name of an object's record.
    static func record(_ number: Int) -> RecordID { RecordID(high: 1, low: UInt64(number)) }

    /// Saves what a client changed.
    mutating func save(_ changes: [Change], at now: WallTime) {
        let edits = changes.flatMap { change -> [LocalEdit.Change] in
            switch change {
            case .insert(let number):
                let record = Self.record(number)
                return [
                    .insert(record, entity: "Note"),
                    .set(record, "number", Cell(.value(.integer(Int64(number))))),
                ]
            case .delete(let number): return [.delete(Self.record(number), through: nil)]
            }
        }
        open.append(LocalEdit(at: now.microseconds, edits))
        look()
    }

    /// Whether something was saved that is in no log.
    var isOpen: Bool { !open.isEmpty }

    /// Whether its container lacks a log of it.
    var owes: Bool { isOpen || outbox.count > written.count }

    /// Puts what was saved into a log.
    mutating func fold() {
        if open.isEmpty { return }
        let folded = replica.fold(open, by: FoldAuthor(peer, number: lastFold + 1, salt: 0))
        open = []
        append(folded.registers)
        look()
    }

    private mutating func append(_ registers: [Register]) {
        if registers.isEmpty { return }
        lastFold += 1
        outbox[LogName(peer: peer, number: lastFold)] = registers
    }

    /// Joins what another file of this machine holds; what is news goes out as if it was written here.
    mutating func adopt(_ registers: [Register]) {
        let keys = replica.joinTellingRegisters(registers).changed.keys
        append(registers.filter { keys.contains($0.key) })
        look()
    }

    /// Joins what another machine wrote.
    mutating func take(_ name: LogName, _ registers: [Register]) {
        read.insert(name)
        replica.join(registers)
        look()
    }

    /// Notes that its container has a log of it.
    mutating func noteWritten(_ name: LogName) { written.insert(name) }

    private mutating func look() {
        shown = [:]
        for object in replica.graph.seen.objects.values {
            if case .integer(let number)? = object.values["number"] { shown[Int(number), default: 0] += 1 }
        }
        for change in open.flatMap(\.changes) {
            switch change {
            case .insert(let record, _): shown[Int(record.low), default: 0] += 1
            case .delete(let record, _): shown[Int(record.low)] = nil
            case .set, .pair, .order: break
            }
        }
    }
}
