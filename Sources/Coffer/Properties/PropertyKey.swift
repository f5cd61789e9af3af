internal import Synchronization

/// A property's name together with a small number, so that an object finds the property without hashing text.
///
/// Equal names have equal numbers in the whole process.
public struct PropertyKey: Sendable, Hashable {
    /// The property's name.
    public let name: String
    /// The place in tables of this process.
    @usableFromInline let number: Int

    /// The key of the properties with that name, whichever entities have them.
    public init(_ name: String) {
        self.name = name
        number = Self.number(of: name)
    }

    /// Whether the names are equal.
    public static func == (left: Self, right: Self) -> Bool { left.number == right.number }

    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension PropertyKey {
    private struct Table {
        var numbers: [String: Int] = [:]
        var names: [String] = []
    }

    private static let table = Mutex(Table())

    private static func number(of name: String) -> Int {
        table.withLock { table in
            if let number = table.numbers[name] { return number }
            table.numbers[name] = table.names.count
            table.names.append(name)
            return table.names.count - 1
        }
    }

    /// The name of the key with that number.
    static func name(_ number: Int) -> String { table.withLock { $0.names[number] } }
}
