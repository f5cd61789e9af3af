package import CofferMerge

/// A log of one's own, kept until a baseline has its folds that another peer has read.
package struct OutboxLog: Hashable, Sendable {
    /// Under which id it was written.
    package let writer: PeerID
    /// What it holds.
    package let content: LogContent
    /// Its name.
    package let name: ObjectName
    /// How many bytes it has in the container.
    package let byteCount: Int
    /// When the first of its folds was written, by its author's clock.
    ///
    /// Of a log that was read from the file no more is known than of its last fold.
    private var began: Int64
    /// When it was last put there; `nil` if it never was.
    package internal(set) var putAt: WallTime?

    /// The log with a content.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept.
    init(_ content: LogContent, by writer: PeerID) throws(ObjectFault) {
        let object = try content.object(of: writer)
        let (name, bytes) = object.packed()
        try object.checkSize(packed: bytes.count)
        self.writer = writer
        self.content = content
        began = content.time
        self.name = name
        byteCount = bytes.count
    }

    /// How much time its folds were written in, as far as they and their registers tell.
    var span: Duration {
        let first = content.registers.lazy.map(\.stamp.microseconds).min() ?? content.time
        return .microseconds(max(0, content.time - min(first, began)))
    }

    /// Whether it has folds of a chain that has this hash after the last of them.
    func has(_ folds: ClosedRange<UInt64>, last hash: ChainHash) -> Bool {
        content.chain.folds.contains(folds) && content.chain.hash(after: folds.upperBound) == hash
    }

    /// The object to put.
    ///
    /// - Throws: `ObjectFault.tooLarge`, which its maker would have thrown already.
    package func object() throws(ObjectFault) -> ContainerObject { try content.object(of: writer) }
}

extension OutboxLog {
    /// One log of adjacent ones, which are in order.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept.
    static func merging(_ logs: ArraySlice<OutboxLog>) throws(ObjectFault) -> OutboxLog? {
        guard let first = logs.first, let last = logs.last else { return nil }
        var state = State()
        var vector = KnowledgeVector()
        for log in logs {
            for register in log.content.registers { state.join(register) }
            vector.join(log.content.vector)
        }
        let chain = ChainSegment(
            first: first.content.chain.first, before: first.content.chain.before,
            hashes: logs.flatMap(\.content.chain.hashes))
        guard let chain else { return nil }
        var content = last.content
        content.chain = chain
        content.vector = vector
        content.isWholeVector = first.content.isWholeVector
        content.modelID = logs.map(\.content.modelID).first { !$0.isEmpty } ?? []
        content.registers = state.registers
        var merged = try OutboxLog(content, by: first.writer)
        merged.began = logs.reduce(content.time) { min($0, $1.began) }
        return merged
    }
}
