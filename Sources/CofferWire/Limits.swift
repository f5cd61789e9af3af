/// Bounds on what a caller can make this module hold or do, with reasons.
package enum Limits {
    /// Payload bytes that follow a frame's header.
    package static let frame = 64 << 20
    /// Bytes of the word for programs in the name of an error on the bus, whose names have 255 at most.
    static let busErrorWord = 100
    /// Bytes of a message, of which what is above a frame's travels in sealed memory: values of 100 MB fit.
    package static let message = 256 << 20
    /// Bytes of rows after which a part of a streamed answer is sent: little enough to stay in a processor's
    /// cache, enough to make a part's own cost small, and the most that one object keeps of rows it was read
    /// with.
    package static let part = 96 << 10
    /// Bytes after which the first part is sent, so that its receiver begins early; each next part has
    /// twice as many, until it has `part`.
    package static let firstPart = 12 << 10
    /// Descriptors of a frame: a save sends one for each large value; the kernel takes 253 at once.
    package static let frameDescriptors = 16
    /// Rows of a batch, group or list of keys: as many keys of 8 bytes as fit into a frame.
    package static let rows = frame / 8
    /// Keys of a release, which runs make short: several times what a client lets wait.
    static let releasedKeys = 1 << 20
    /// Columns of a batch or group: as many as `CofferModel` allows properties, and as many again for
    /// dictionaries.
    package static let columns = 2_000
    /// Groups, batches, transactions or conflicts of a message.
    static let groups = 100_000
    /// Nodes of a predicate: an `IN` list of 10,000 values fits.
    package static let predicateNodes = 20_000
    /// How deep a predicate nests: code that walks it recursively has 512 KiB of stack, and 2 KiB a level
    /// suffice.
    package static let predicateDepth = 200
    /// Sort descriptors, and names in a key path.
    static let keyPath = 64
    /// Key paths to fetch, pragmas, metadata entries and the like.
    static let list = 2_000
    /// Batch updates, or batch deletes, of one request.
    static let batchOperations = 1_000
    /// Bytes of a name: paths are the longest, and Linux takes 4,096.
    static let name = 4_096
    /// Bytes of a text for people.
    static let text = 64 << 10
    /// Bytes of the text of an error, which repeats what its caller said: more than a person reads.
    package static let errorText = 8 << 10
    /// Entities and properties of a message that carries a model.
    static let modelElements = 2_000
    /// Changes between two models that an error tells: more than a person reads.
    static let modelChanges = 200
    /// Names of entities and properties that a container's object lists: those of several models.
    static let names = 20_000
    /// Registers of one kind in a container's object: a part of a baseline has 200,000 in all at most.
    package static let registers = 1_000_000
    /// Peers that a vector in a container names: 200 write at a time, and copies add to them.
    package static let vectorEntries = 10_000
    /// Parts of a baseline, or baselines that a log names: parts of 8 MiB make 80 GB.
    package static let objectHashes = 10_000
    /// Exponents of a decimal: what Foundation's `Decimal` holds.
    static let exponent: ClosedRange<Int32> = -128...127
}

/// What a message may cost its reader.
struct MessageLimit: Sendable {
    /// Bytes of the packed message.
    var byteCount: Int
    /// Bytes of structures besides copies of the message's own bytes.
    var structureByteCount: Int

    /// Greetings, handles, errors.
    static let small = MessageLimit(byteCount: 256 << 10, structureByteCount: 1 << 20)
    /// Fetches, keys, pragmas.
    static let request = MessageLimit(byteCount: 16 << 20, structureByteCount: 16 << 20)
    /// Models: the largest known has 54 entities, and packs into 200 KB.
    static let model = MessageLimit(byteCount: 16 << 20, structureByteCount: 32 << 20)
    /// Registers of a container's object, which any carrier of the container may have written.
    static let container = MessageLimit(byteCount: 64 << 20, structureByteCount: 128 << 20)
    /// Rows and changes.
    static let rows = MessageLimit(byteCount: Limits.message, structureByteCount: 64 << 20)

    /// About what a message within a message takes in memory: bytes.
    static let partByteCount = 128

    /// How many messages may be within a message of `count` bytes.
    func partCount(for count: Int) -> Int {
        min(structureByteCount, (64 << 10) + Self.partByteCount * count) / Self.partByteCount
    }

    /// The bytes that reading a message of `count` bytes may take: an empty submessage of two bytes takes
    /// about 240.
    func arenaByteCount(for count: Int) -> Int {
        2 * count + min(structureByteCount, (64 << 10) + 128 * count)
    }
}
