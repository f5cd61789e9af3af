import Coffer

/// A class of which only the properties are made: the model says Category/Extension.
final class Tag: ManagedObject {
    /// What an attribute of whole numbers stands for.
    enum Importance: Int, AttributeConvertible {
        case low, high
        static let valueForNull = Importance.low
    }

    /// Whether it matters.
    var isImportant: Bool { self.importance == .high }
}
