/// What a to-many relationship of one object holds: the stored members, once read, and what changed since.
struct ToManyContent {
    /// The members as the store has them, in order; `nil` until they are read.
    private(set) var stored: [ObjectReference]?
    /// What the stored members are read with if they are faults; `nil` if they are read with each other.
    private(set) var faults: FaultGroup?
    /// Members that entered since, in order, and none of the stored ones.
    private(set) var added: [ObjectReference] = []
    /// Stored members that left since; if `stored` is `nil`, all that left.
    private(set) var removed: Set<ObjectReference> = []
    private var storedSet: Set<ObjectReference>?
    private var addedSet: Set<ObjectReference> = []
    /// The members in the order that they were given; `nil` if no member was given a place.
    private var arranged: [ObjectReference]?
    /// Places that were given, while the stored members are not read.
    private var pendingMoves: [MemberMove] = []

    /// Members that are not read yet, or those given.
    init(stored: [ObjectReference]? = nil) {
        self.stored = stored
    }

    /// Whether something changed.
    var isChanged: Bool { !added.isEmpty || !removed.isEmpty || isArranged }

    /// Whether a member was given a place.
    var isArranged: Bool { arranged != nil || !pendingMoves.isEmpty }

    /// The members now; `nil` if the stored ones are not read.
    var members: [ObjectReference]? {
        guard stored != nil else { return nil }
        return arranged ?? unarranged
    }

    /// The members as they are if no member was given a place.
    private var unarranged: [ObjectReference] {
        guard let stored else { return added }
        if added.isEmpty && removed.isEmpty { return stored }
        return (removed.isEmpty ? stored : stored.filter { !removed.contains($0) }) + added
    }

    /// Whether `member` is one; `nil` if that is not known without reading.
    mutating func contains(_ member: ObjectReference) -> Bool? {
        if addedSet.contains(member) { return true }
        if removed.contains(member) { return false }
        guard let stored else { return nil }
        if storedSet == nil { storedSet = Set(stored) }
        return storedSet?.contains(member)
    }

    /// Whether `member` entered since the stored members were.
    func hasAdded(_ member: ObjectReference) -> Bool { addedSet.contains(member) }

    /// Lets `member` enter at the end.
    mutating func insert(_ member: ObjectReference) {
        if removed.remove(member) != nil && contains(member) == true {
            arranged?.append(member)
            return
        }
        guard contains(member) != true else { return }
        added.append(member)
        addedSet.insert(member)
        arranged?.append(member)
    }

    /// Lets `member` leave.
    mutating func remove(_ member: ObjectReference) {
        forgetPlace(of: member)
        if addedSet.remove(member) != nil {
            added.removeAll { $0 == member }
            if stored != nil { return acceptOrder() }
        }
        guard contains(member) != false else { return acceptOrder() }
        removed.insert(member)
        acceptOrder()
    }

    /// Takes back that `member` entered.
    mutating func takeBack(_ member: ObjectReference) {
        guard addedSet.remove(member) != nil else { return remove(member) }
        forgetPlace(of: member)
        added.removeAll { $0 == member }
        acceptOrder()
    }

    /// Takes back that `member` left, which had not entered since the stored members were.
    mutating func comeBack(_ member: ObjectReference) {
        // While the stored members are not read, all that is known is that it did not leave.
        if stored == nil, removed.remove(member) != nil { return }
        insert(member)
    }

    /// Forgets that `member` entered or left since the stored members were.
    mutating func forgetMove(of member: ObjectReference) {
        if removed.remove(member) != nil, let order = arranged { return arrange(order) }
        guard addedSet.remove(member) != nil else { return }
        forgetPlace(of: member)
        added.removeAll { $0 == member }
        acceptOrder()
    }

    /// Takes in what the store has, and forgets changes that it shows already; places that were given stay
    /// given.
    mutating func load(_ members: [ObjectReference], faults: FaultGroup? = nil) {
        unload()
        stored = members
        self.faults = faults
        let set = Set(members)
        storedSet = set
        added.removeAll { set.contains($0) }
        addedSet = Set(added)
        removed.formIntersection(set)
        let moves = pendingMoves
        pendingMoves = []
        if !moves.isEmpty { arrange(MemberMoves.list(unarranged, after: moves)) }
    }

    /// Forgets what the store had; changes stay.
    mutating func unload() {
        if let arranged { pendingMoves = MemberMoves.moves(from: unarranged, to: arranged) }
        arranged = nil
        stored = nil
        storedSet = nil
        faults = nil
    }

    /// Makes the present members the stored ones: they were saved.
    mutating func accept() {
        self = ToManyContent(stored: members)
    }

    /// Makes the members that were sent the stored ones; what changed since stays a change.
    mutating func accept(as sent: ToManyContent) {
        let now = self
        self = sent
        guard let read = now.stored, let members = now.members else { return acceptUnread(now, sent) }
        // If the members were read meanwhile, the answer may show what was sent already: then nothing of that
        // is left to be taken in.
        if read != stored { load(read) }
        accept()
        let wanted = Set(members)
        for member in self.members ?? [] where !wanted.contains(member) { remove(member) }
        for member in members { insert(member) }
        arrange(members)
    }

    /// Accepts what was sent if the members were never read, or have been unloaded since.
    private mutating func acceptUnread(_ now: ToManyContent, _ sent: ToManyContent) {
        unload()
        accept()
        for member in sent.added where !now.addedSet.contains(member) { remove(member) }
        for member in now.removed where !sent.removed.contains(member) { remove(member) }
        for member in sent.removed where !now.removed.contains(member) { insert(member) }
        for member in now.added where !sent.addedSet.contains(member) { insert(member) }
        pendingMoves = Array(now.pendingMoves.dropFirst(sent.pendingMoves.count))
    }

    /// Forgets what changed.
    mutating func revert() {
        self = ToManyContent(stored: stored)
    }

    /// Replaces references to objects by their new ones, after a save gave the objects permanent keys.
    mutating func rename(_ name: (ObjectReference) -> ObjectReference) {
        stored = stored?.map(name)
        added = added.map(name)
        removed = Set(removed.map(name))
        storedSet = nil
        addedSet = Set(added)
        arranged = arranged?.map(name)
        pendingMoves = pendingMoves.map { $0.renamed(name) }
    }
}

/// The order of members, if the relationship has one.
extension ToManyContent {
    /// Gives a member a place; an object that is not a member is left out.
    mutating func move(_ move: MemberMove) {
        guard let members else { return pendingMoves.append(move) }
        arrange(MemberMoves.list(members, after: [move]))
    }

    /// Gives all members the order that `list` has them in, each the place where it is named first; those
    /// that it lacks come last.
    mutating func arrange(_ list: [ObjectReference]) {
        guard stored != nil else { return }
        let present = unarranged
        var unnamed = Set(present)
        let wanted = list.filter { unnamed.remove($0) != nil }
        let all = wanted + present.filter { unnamed.contains($0) }
        arranged = all == present ? nil : all
    }

    /// The moves that a save tells, after all objects that entered stand at the end.
    ///
    /// `knowsEntry` says that these stand there in the order of `added`.
    func savedMoves(knowsEntry: Bool) -> [MemberMove] {
        let entry = knowsEntry ? [] : Set(added.dropFirst())
        guard let members else {
            // What is there is not known: the order among those that entered, then the places that were
            // given.
            let chain =
                entry.isEmpty ? [] : zip(added.dropFirst(), added).map { MemberMove(member: $0, after: $1) }
            return chain + pendingMoves
        }
        if arranged == nil && entry.isEmpty { return [] }
        return MemberMoves.moves(from: unarranged, to: members, loose: entry)
    }

    private mutating func forgetPlace(of member: ObjectReference) {
        arranged?.removeAll { $0 == member }
        pendingMoves.removeAll { $0.member == member }
    }

    /// Forgets the given order if it is the one that the members have anyway.
    private mutating func acceptOrder() {
        if let order = arranged, order == unarranged { arranged = nil }
    }
}
