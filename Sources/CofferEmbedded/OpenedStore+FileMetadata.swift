public import Coffer
import CofferCoordination
import CofferLinux
public import CofferModel
import CofferStores
package import CofferWire

extension OpenedStore.Metadata {
    /// What a store's file says of it, read without opening a stack; neither the file nor its folder changes.
    ///
    /// ```swift
    /// let metadata = try OpenedStore.Metadata.ofFile(at: "/home/me/Library.sqlite")
    /// ```
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - type: How it keeps its objects; `nil` to find it out from the file.
    /// - Throws: `.refused` with the reason: it is missing, is not a store, or is damaged.
    /// - Returns: All that it says.
    public static func ofFile(at path: String, type: StoreType? = nil) throws(CofferError) -> Self {
        Self(try reply(ofFileAt: path, type: type))
    }

    /// Changes what a store's file says of it, without opening a stack; `nil` removes a key.
    ///
    /// - Parameters:
    ///   - changes: New values by key.
    ///   - path: The file, which no other process may have open for writing.
    ///   - type: How it keeps its objects; `nil` to find it out from the file.
    ///   - adopts: Whether a file that Coffer did not make may be changed.
    /// - Throws: `.refused` with the reason: it is missing, is not a store, is owned by another process, or
    ///   was not made by Coffer; or a change names the type or the UUID, which stay.
    /// - Returns: All that it says then.
    @discardableResult
    public static func set(
        _ changes: [String: MetadataValue?], inFileAt path: String, type: StoreType? = nil,
        adopts: Bool = false
    ) throws(CofferError) -> Self {
        Self(
            try reply(
                ofFileAt: path, changing: changes.mapValues { $0.map { MetadataValueMessage($0) } },
                type: type,
                adopts: adopts))
    }

    /// What a store's file says of it, after changing what is named.
    package static func reply(
        ofFileAt path: String, changing changes: [String: MetadataValueMessage?] = [:],
        type: StoreType? = nil, adopts: Bool = false
    ) throws(CofferError) -> MetadataReplyMessage {
        try translating { () throws(StoreError) in
            let (folder, name) = try EmbeddedCoordinator.place(path)
            return try FileMetadata.set(changes, of: name, in: folder, type: type, adopts: adopts).reply
        }
    }
}
