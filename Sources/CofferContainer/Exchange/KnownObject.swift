/// What is known of an object that was put into the container.
package struct KnownObject: Hashable, Sendable {
    /// When it was first listed.
    package let firstSeen: WallTime
    /// What became of it.
    package internal(set) var condition: Condition
    /// What a baseline names and stands for, once it was read, whatever became of its parts.
    package internal(set) var outline: Facts?

    /// What became of an object.
    package enum Condition: Hashable, Sendable {
        /// It was not read yet.
        case unread
        /// It waits for folds before it, or for parts that have not come.
        case waiting(for: Need)
        /// It cannot be taken now, and is tried again.
        case quarantined(reason: String, tries: Int, next: WallTime)
        /// What it holds was joined, or is not to be.
        case taken(Facts)
    }

    /// What an object waits for.
    package enum Need: Hashable, Sendable {
        /// The fold before its first one.
        case fold(UInt64)
        /// A part of a baseline.
        case part(ObjectHash)
    }

    /// What is kept of an object that was taken.
    package enum Facts: Hashable, Sendable {
        /// A log: its folds, the hash after the last one and its size.
        case log(folds: ClosedRange<UInt64>, last: ChainHash, byteCount: Int)
        /// A baseline: its parts, what its state has, and the size of both.
        case baseline(parts: Set<ObjectHash>, vector: KnowledgeVector, byteCount: Int)
        /// What a carrier brought after its content had been removed, of which nothing is joined.
        case leftOver
    }

    /// What is kept of it; `nil` if it was not taken.
    package var facts: Facts? { if case .taken(let facts) = condition { facts } else { nil } }
}

/// What another peer told of itself.
package struct ToldState: Hashable, Sendable {
    /// What its state has, its own folds too.
    package internal(set) var vector = KnowledgeVector()
    /// Its last fold that was read here.
    package internal(set) var lastFold: UInt64 = 0
    /// The digest of its state then.
    package internal(set) var digest = StateDigest()
    /// When it wrote that, in microseconds since 1970 by its clock.
    package internal(set) var time: Int64 = 0
    /// The baselines of others that it has joined.
    package internal(set) var read: Set<ObjectHash> = []
}

/// An object and the name that it has.
package struct NamedObject: Hashable, Sendable {
    /// The object.
    package let object: ContainerObject
    /// Its name.
    package let name: ObjectName
    /// How many bytes it has in the container.
    package let byteCount: Int

    /// An object with its name.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept.
    package init(_ object: ContainerObject) throws(ObjectFault) {
        let (name, bytes) = object.packed()
        try object.checkSize(packed: bytes.count)
        self.object = object
        self.name = name
        byteCount = bytes.count
    }
}

/// A baseline that was written here.
package struct OwnBaseline: Hashable, Sendable {
    /// Its name.
    package let name: ObjectName
    /// Its parts.
    package let parts: Set<ObjectHash>
    /// What its state has.
    package let vector: KnowledgeVector
    /// What it stands for: logs and baselines that were joined before it was written.
    package let covered: Set<ObjectName>
    /// Since when it stands there whole; `nil` if no listing has shown that yet.
    package internal(set) var standsSince: WallTime?
    /// How many bytes it has with its parts.
    package let byteCount: Int
    /// The objects that make it, until a listing has shown them all.
    package internal(set) var objects: [NamedObject]

    init(
        name: ObjectName, parts: Set<ObjectHash>, vector: KnowledgeVector, covered: Set<ObjectName>,
        byteCount: Int, objects: [NamedObject]
    ) {
        (self.name, self.parts, self.vector) = (name, parts, vector)
        (self.covered, self.byteCount, self.objects) = (covered, byteCount, objects)
    }

    /// A baseline that was kept, without the objects that make it.
    package init(
        kept name: ObjectName, parts: Set<ObjectHash>, vector: KnowledgeVector, covered: Set<ObjectName>,
        byteCount: Int, standsSince: WallTime?
    ) {
        self.init(
            name: name, parts: parts, vector: vector, covered: covered, byteCount: byteCount, objects: [])
        self.standsSince = standsSince
    }

    /// Whether it was never seen whole, and cannot be put again.
    var isLost: Bool { standsSince == nil && objects.isEmpty }
}
