package import CofferMerge

/// What an exchange asks its owner for; each step's end is told to it before the next one is asked for.
package enum ExchangeStep: Hashable, Sendable {
    /// Read an object, and tell `took`.
    case get(ObjectName)
    /// Put an object there, and tell `didPut`.
    case put(ContainerObject, ObjectName)
    /// Take objects away, and tell `didRemove`.
    case remove([ObjectName])
    /// Give the state to `writeBaseline`, with what may be buried buried.
    case writeBaseline
    /// Write a fold without registers: others are to know what was read here.
    case writeReceipt
}

/// Registers to join, all in one transaction with the exchange that gave them.
package struct ExchangeTaking: Hashable, Sendable {
    /// The object that they stand in.
    package let source: ObjectName
    /// The registers.
    package let registers: [Register]
    /// The SHA-256 of the author's model.
    package let modelID: [UInt8]
    /// What the writer had seen when it wrote them.
    package let vector: KnowledgeVector

    /// It, to be taken in pieces, with what is known of one record together and records in the order of their
    /// births.
    package var pieces: TakingPieces { TakingPieces(self) }
}

/// What is left of registers to join that are joined in several transactions.
package struct TakingPieces {
    private let whole: ExchangeTaking
    /// The places of the registers, by their records.
    private let order: [(home: RecordID, place: Int)]
    private var start = 0

    fileprivate init(_ whole: ExchangeTaking) {
        self.whole = whole
        order = whole.registers.enumerated().map { (home: $1.home, place: $0) }.sorted { $0.home < $1.home }
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool { start == order.count }

    /// Takes the next piece.
    ///
    /// - Parameter count: From how many registers on it ends.
    /// - Returns: The piece, which may be empty.
    package mutating func next(of count: Int) -> ExchangeTaking {
        let first = start
        var end = min(start + max(count, 1), order.count)
        while end < order.count, end > first, order[end].home == order[end - 1].home { end += 1 }
        start = end
        return ExchangeTaking(
            source: whole.source, registers: order[first..<end].map { whole.registers[$0.place] },
            modelID: whole.modelID, vector: whole.vector)
    }
}
