/// What a to-many relationship of one object holds: the stored members, once read, and what changed since.
struct ToManyContent {
    /// The members as the store has them, in order; `nil` until they are read.
    private(set) var stored: [ObjectReference]?
    /// Members that entered since, in order, and none of the stored ones.
    private(set) var added: [ObjectReference] = []
    /// Stored members that left since; where `stored` is `nil`, whoever left.
    private(set) var removed: Set<ObjectReference> = []
    /// What the stored members are read with where they are faults; `nil` where they are read with each other.
    private(set) var faults: FaultGroup?
    private var storedSet: Set<ObjectReference>?
    private var addedSet: Set<ObjectReference> = []

    /// Members that are not read yet, or those given.
    init(stored: [ObjectReference]? = nil) {
        self.stored = stored
    }

    /// Whether something changed.
    var isChanged: Bool { !added.isEmpty || !removed.isEmpty }

    /// The members now; `nil` where the stored ones are not read.
    var members: [ObjectReference]? {
        guard let stored else { return nil }
        if !isChanged { return stored }
        return (removed.isEmpty ? stored : stored.filter { !removed.contains($0) }) + added
    }

    /// Whether `member` is one; `nil` where that is not known without reading.
    mutating func contains(_ member: ObjectReference) -> Bool? {
        if addedSet.contains(member) { return true }
        if removed.contains(member) { return false }
        guard let stored else { return nil }
        if storedSet == nil { storedSet = Set(stored) }
        return storedSet?.contains(member)
    }

    /// Lets `member` enter at the end.
    mutating func insert(_ member: ObjectReference) {
        if removed.remove(member) != nil && contains(member) == true { return }
        guard contains(member) != true else { return }
        added.append(member)
        addedSet.insert(member)
    }

    /// Lets `member` leave.
    mutating func remove(_ member: ObjectReference) {
        if addedSet.remove(member) != nil {
            added.removeAll { $0 == member }
            if stored != nil { return }
        }
        guard contains(member) != false else { return }
        removed.insert(member)
    }

    /// Takes back that `member` entered.
    mutating func takeBack(_ member: ObjectReference) {
        guard addedSet.remove(member) != nil else { return remove(member) }
        added.removeAll { $0 == member }
    }

    /// Takes in what the store has, and forgets changes that it shows already.
    mutating func load(_ members: [ObjectReference], faults: FaultGroup? = nil) {
        stored = members
        self.faults = faults
        let set = Set(members)
        storedSet = set
        added.removeAll { set.contains($0) }
        addedSet = Set(added)
        removed.formIntersection(set)
    }

    /// Forgets what the store had; changes stay.
    mutating func unload() {
        stored = nil
        storedSet = nil
        faults = nil
    }

    /// Makes the present members the stored ones: they were saved.
    mutating func settle() {
        self = ToManyContent(stored: members)
    }

    /// Forgets what changed.
    mutating func revert() {
        self = ToManyContent(stored: stored)
    }

    /// Names objects anew after a save gave them permanent keys.
    mutating func rename(_ name: (ObjectReference) -> ObjectReference) {
        stored = stored?.map(name)
        added = added.map(name)
        removed = Set(removed.map(name))
        storedSet = nil
        addedSet = Set(added)
    }
}
