package import CofferMerge

/// What is left of registers to join that are joined in several transactions.
///
/// A save of another machine is seen whole, or not yet, see `SavedTogether`.
package struct TakingPieces {
    private let registers: [Register]
    /// The places of registers that are joined together.
    private let groups: [[Int]]
    private var start = 0

    /// These registers, none of which was taken yet.
    package init(_ registers: [Register]) {
        self.registers = registers
        groups = SavedTogether(registers).groups(ofAtMost: Limits.objectsAtOnce)
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool { start == groups.count }

    /// Takes the next piece.
    ///
    /// - Parameter count: From how many registers on it ends.
    /// - Returns: The piece, which is empty only if there was nothing to join.
    package mutating func next(of count: Int) -> [Register] {
        var piece: [Register] = []
        while start < groups.count, piece.isEmpty || piece.count < count {
            piece += groups[start].map { registers[$0] }
            start += 1
        }
        return piece
    }
}
