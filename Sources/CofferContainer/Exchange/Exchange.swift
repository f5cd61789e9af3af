package import CofferMerge

/// The exchange of one peer with one container: what to read, join, put and remove, and when.
///
/// A value without I/O. Its owner lists the container, does what `nextStep` asks for and tells how that went;
/// it keeps this value beside the state, so that both change in one transaction. What is asked may be asked
/// again after a crash: every step may be repeated.
///
/// Each fold is at every moment in the container in a log, or in a baseline that outlives it there:
/// - a log or baseline is removed only for a baseline of one's own that was written after it had been joined,
///   and only when another peer has read that baseline, or it has stood there for a week and can be read;
/// - a log of one's own goes, too, if a larger one has its folds that another peer has read, or that has
///   stood there for some time and can be read;
/// - logs of one's own are kept, and put again if they are missing, until a baseline has their folds that
///   another peer than its author has read;
/// - if folds are nowhere for a day, a peer that has them writes a baseline;
/// - what a baseline buries is a fold, too, so that states of the same folds are the same.
package struct Exchange: Hashable, Sendable {
    /// The id that folds are written under.
    package internal(set) var peer: PeerID
    /// The hashes of that id's folds, from the first one on.
    var ownHashes: [ChainHash] = []
    /// What is known of everybody's folds, and which of them the state has.
    package internal(set) var chains = ChainBook()
    /// Logs of one's own that have to be there, by fold.
    package internal(set) var outbox: [OutboxLog] = []
    /// Objects of others, and such of one's own that are not in the outbox.
    package internal(set) var known: [ObjectName: KnownObject] = [:]
    /// What others told.
    package internal(set) var told: [PeerID: ToldState] = [:]
    /// What others are known to have had, which is kept.
    package internal(set) var knowledge: [PeerID: PeerKnowledge] = [:]
    /// The baselines of one's own that are there, as far as is known; the newest is the last.
    package internal(set) var baselines: [OwnBaseline] = []
    /// Logs, baselines and their parts that are listed and whose registers the state has: what is read again
    /// of them is only looked at.
    var joinedObjects: Set<ObjectName> = []
    /// What of baselines cannot be read whole.
    var damaged: [ObjectName: DamagedObject] = [:]
    /// When what is there of one's last baseline was last read again.
    var checkedAt: WallTime?
    /// When logs that others lack were last read again; `nil` before the first round of this process, which
    /// reads all.
    var logsCheckedAt: WallTime?
    /// The number of the last baseline.
    var lastBaseline: UInt64 = 0
    /// Logs that were made into others, each with the folds that those have.
    var replaced: [ObjectName: ReplacedLog] = [:]
    /// Larger logs of one's own that were read again since they were put, and are whole.
    var readBack: Set<ObjectName> = []
    /// Since when nothing names a part, or a value, and since when a larger log stands for one.
    var unnamedSince: [ObjectName: WallTime] = [:]
    /// Since when folds that the state has are nowhere in the container.
    var gapSince: WallTime?
    /// What was last told of others' folds.
    var toldVector = KnowledgeVector()
    /// What was told of others' folds, or is in a baseline that was written here.
    var acknowledged = KnowledgeVector()
    /// Since when a baseline is due, and a receipt, that another peer may write.
    var dueSince: [SharedDuty: WallTime] = [:]
    /// How much time was seen to pass; `nil` before the first round.
    var clock: PatientClock?
    /// When the last log was written.
    var lastLogAt: WallTime?
    /// Whether something was joined that others should know of.
    var hasNews = false
    /// The model's object, which is to be there.
    var model: NamedObject?
    /// The marks of the container that it was last with.
    var marks = ContainerMarks()
    /// The figures that it goes by.
    package let rules: ExchangeRules
    /// Ids that folds were written under before: what is told under them may be this store's own word.
    var formerPeers: Set<PeerID> = []
    /// The round that is under way.
    var round: ExchangeRound?

    /// An exchange of a peer that has nothing and has told nothing.
    package init(_ peer: PeerID, rules: ExchangeRules = ExchangeRules()) {
        self.peer = peer
        self.rules = rules
    }

    /// The number of the last fold.
    package var lastFold: UInt64 { UInt64(ownHashes.count) }

    /// The chain's hash after it.
    package var lastHash: ChainHash { ownHashes.last ?? .start }

    /// For each peer, the folds that the state has.
    package var vector: KnowledgeVector { chains.vector }

    /// When the container was listed for the round, by the clock that does not jump; `nil` between rounds.
    package var roundTime: WallTime? { round?.time }

    /// Whether so much time was seen to pass since that what is not needed may go.
    package func isPatient(since start: WallTime) -> Bool { hasPassed(rules.patience, since: start) }

    /// The objects that the round's listing showed, with what was put since.
    package var listedObjects: Set<ObjectName> { round?.objects ?? [] }

    /// Goes on after a crash: what was under way is asked for again.
    package mutating func restart() { round = nil }

    /// Names the model that registers are of; its object will be put there.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept.
    package mutating func use(_ model: ModelContent) throws(ObjectFault) {
        self.model = try NamedObject(ContainerObject(.model, content: model.bytes))
    }

    /// Whether there are folds of its own that were not written here: then it is to go on under a new id, and
    /// before anything more is written.
    package var isInDoubt: Bool { round?.isInDoubt ?? false }

    /// Whether a round goes on for what came since, and notes nothing of what it finds missing.
    var isContinued: Bool { round?.isContinued ?? false }

    /// Whether a round may end before the object that it asks for is read.
    ///
    /// The parts of a baseline, and one's own objects that are looked through, are of use together only.
    var mayPause: Bool { round.map { $0.gathering == nil && $0.isReadingOthers } ?? false }

    /// Whether a log was read, and is not taken before others are.
    func isWaiting(_ name: ObjectName) -> Bool {
        if case .waiting = known[name]?.condition { true } else { false }
    }

    /// Goes on under a new id; what was written under the old one is still carried.
    package mutating func change(to peer: PeerID) {
        formerPeers.insert(self.peer)
        self.peer = peer
        ownHashes = []
        toldVector = KnowledgeVector()
        round?.isInDoubt = false
        round?.passed = 0
    }

    /// The peers whose states have the folds that this one has but not the same registers.
    package func differing(from digest: StateDigest) -> Set<PeerID> {
        let vector = vector
        return Set(
            told.filter { $1.vector.hasSameFolds(as: vector) && $1.digest != digest }.keys)
    }
}

/// A log that was made into a larger one.
struct ReplacedLog: Hashable, Sendable {
    /// The larger one.
    var by: ObjectName
    /// Under which id both were written.
    let writer: PeerID
    /// The folds of the smaller one.
    let folds: ClosedRange<UInt64>
    /// The chain's hash after the last of them.
    let last: ChainHash
    /// Since when a larger one with its folds has stood there; `nil` if no listing has shown one.
    var since: WallTime?
    /// How long the larger one stands before the smaller one goes.
    let wait: Duration
}

/// One listing, and what is done about it.
struct ExchangeRound: Hashable, Sendable {
    /// What is there, with what was put since.
    var objects: Set<ObjectName>
    /// When it was listed, by the clock that does not jump.
    let time: WallTime
    /// Whether others' objects are read, and what follows from that is done.
    let isReading: Bool
    /// Whether nothing more is done than to read logs that came since, and to put what was folded since.
    var isContinued = false
    /// Whether all was done that was to be done.
    var hasEnded = false
    /// How many objects have come since it was listed: one's own, and logs of others that were told of.
    var addedCount = 0
    /// Whether what is read now is what others wrote, and not one's own that is looked through.
    var isReadingOthers = false
    /// What may be read, in order; `nil` before it was asked for.
    var queue: [ObjectName]?
    /// How much of the queue was looked at.
    var passed = 0
    /// The logs of each peer that were read, and wait for earlier folds.
    var waiting: [PeerID: Set<ObjectName>] = [:]
    /// What was asked for and not found, or not now.
    var tried: Set<ObjectName> = []
    /// A baseline whose parts are being read.
    var gathering: Gathering?
    /// Whether folds were found that another copy of this store wrote.
    var isInDoubt = false
    /// The newest baseline, as far as it was read again; `nil` before.
    var verified: Set<ObjectName> = []
    /// Whether a baseline was asked for.
    var hasAskedForBaseline = false
    /// Whether a receipt was asked for.
    var hasAskedForReceipt = false
    /// Whose logs were found to be of content that was removed.
    var leftWriters: Set<PeerID> = []
    /// What may not be written now.
    var refused: Set<ObjectName> = []
    /// What was removed, or could not be.
    var removed: Set<ObjectName> = []

    /// A baseline of which parts are still to be read.
    struct Gathering: Hashable, Sendable {
        let name: ObjectName
        let content: BaselineContent
        var missing: [ObjectHash]
        /// Those that are only read to see that they are whole: the state has their registers.
        let joined: Set<ObjectHash>
        /// How many bytes were read of it.
        var byteCount: Int
        /// The registers of each other part that was read.
        var parts: [[Register]] = []
    }
}
