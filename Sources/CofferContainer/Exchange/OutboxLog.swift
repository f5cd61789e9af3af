package import CofferMerge

/// A log of one's own, kept until a baseline has its folds that another peer has read.
package struct OutboxLog: Hashable, Sendable {
    /// Under which id it was written.
    package let writer: PeerID
    /// What it holds, but for its registers, which take many times their room in `bytes`.
    package let content: LogContent
    /// How many these are.
    let registerCount: Int
    /// Its name.
    package let name: ObjectName
    /// Its bytes in the container.
    package let bytes: [UInt8]
    /// When the first of its folds or registers was written, by its author's clock: microseconds since 1970.
    private var began: Int64
    /// When it was last put there; `nil` if it never was.
    package internal(set) var putAt: WallTime?

    /// The log with a content.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept.
    init(_ content: LogContent, by writer: PeerID) throws(ObjectFault) {
        let object = try content.object(of: writer)
        (name, bytes) = object.packed()
        try object.checkSize(packed: bytes.count)
        self.writer = writer
        registerCount = content.registers.count
        began = content.registers.lazy.map(\.stamp.microseconds).reduce(content.time, min)
        var head = content
        head.registers = []
        self.content = head
    }

    /// How many bytes it has in the container.
    package var byteCount: Int { bytes.count }

    /// How much time its folds were written in, as far as they and their registers tell.
    var span: Duration { .microseconds(max(0, content.time - began)) }

    /// Whether it has folds of a chain that has this hash after the last of them.
    func has(_ folds: ClosedRange<UInt64>, last hash: ChainHash) -> Bool {
        content.chain.folds.contains(folds) && content.chain.hash(after: folds.upperBound) == hash
    }

    /// The object to put.
    ///
    /// - Throws: `ObjectFault`, which its maker would have thrown already.
    package func object() throws(ObjectFault) -> ContainerObject {
        try ContainerObject(reading: bytes, named: name)
    }

    /// What it holds, with its registers.
    private func whole() throws(ObjectFault) -> LogContent {
        try LogContent(reading: try object().content, folds: content.chain.folds, from: .ownFile)
    }
}

extension OutboxLog {
    /// The log that an object is, which was kept.
    ///
    /// - Throws: `ObjectFault` if it is not one.
    package init(reading bytes: [UInt8]) throws(ObjectFault) {
        let object = try ContainerObject(reading: bytes)
        guard case .log(let writer, let folds) = object.identity else { throw .foreign }
        let head = try LogContent.head(in: object.content, folds: folds, from: .ownFile)
        (self.writer, content, registerCount) = (writer, head.content, head.registerCount)
        (name, self.bytes) = (object.objectName(of: bytes), bytes)
        began = min(content.time, head.first ?? content.time)
    }

    /// This log, saying for which container it is.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept.
    func marked(for container: ContainerMark) throws(ObjectFault) -> OutboxLog {
        var content = try whole()
        content.container = container
        return try OutboxLog(content, by: writer)
    }

    /// One log of adjacent ones, which are in order.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept.
    static func merging(_ logs: ArraySlice<OutboxLog>) throws(ObjectFault) -> OutboxLog? {
        guard let first = logs.first, let last = logs.last else { return nil }
        var state = State()
        var vector = KnowledgeVector()
        for log in logs {
            for register in try log.whole().registers { state.join(register) }
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
