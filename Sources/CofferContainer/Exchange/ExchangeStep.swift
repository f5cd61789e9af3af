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

    /// A piece of it.
    package func piece(of registers: [Register]) -> ExchangeTaking {
        ExchangeTaking(source: source, registers: registers, modelID: modelID, vector: vector)
    }
}
