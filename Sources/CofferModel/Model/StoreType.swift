/// How a store keeps its objects.
public enum StoreType: String, Sendable, Hashable, CaseIterable {
    /// In a file of SQLite, which is read and written in part.
    case sqlite
    /// In memory only, as long as any client has the store open.
    case memory
    /// In a compact file, which is read and written as a whole.
    case binary
    /// In a file of XML as Core Data has it, which is read and written as a whole.
    case xml

    /// What the name of a store's file has behind that of the store; nothing for one in memory.
    package var fileSuffix: String { self == .memory ? "" : ".\(rawValue)" }

    /// What the type is called in a store's metadata, as Core Data calls it.
    public var metadataName: String {
        switch self {
        case .sqlite: "SQLite"
        case .memory: "InMemory"
        case .binary: "Binary"
        case .xml: "XML"
        }
    }
}
