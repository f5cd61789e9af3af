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

    /// As much of it at a time as a save may wait for: what is known of one record stays together, and
    /// records come in the order of their births.
    ///
    /// - Parameter count: From how many registers on a piece ends.
    /// - Returns: At least one.
    package func pieces(of count: Int) -> [ExchangeTaking] {
        if registers.count <= count { return [self] }
        let registers = registers.map { (home: $0.home, register: $0) }.sorted { $0.home < $1.home }
        var pieces: [[Register]] = [[]]
        for (place, next) in registers.enumerated() {
            let isEnd = place > 0 && registers[place - 1].home != next.home
            if isEnd, pieces[pieces.count - 1].count >= count { pieces.append([]) }
            pieces[pieces.count - 1].append(next.register)
        }
        return pieces.map { .init(source: source, registers: $0, modelID: modelID, vector: vector) }
    }
}
