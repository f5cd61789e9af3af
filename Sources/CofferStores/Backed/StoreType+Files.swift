internal import CofferFormats
internal import CofferLinux
internal import CofferModel

extension StoreType {
    /// The type that the end of a file's name says; `nil` if it says none.
    init?(ofFile name: String) {
        let named: [StoreType] = [.binary, .xml]
        guard let type = named.first(where: { name.hasSuffix($0.fileSuffix) }) else { return nil }
        self = type
    }

    /// The type of a file that is not SQLite's, by how it begins; `nil` if it is not a store's.
    init?(ofContent name: String, in folder: Folder) throws(StoreError) {
        let start = try translatingSystem { () throws(LinuxError) -> [UInt8] in
            guard try folder.facts(of: name)?.kind == .file else { return [] }
            return try folder.openFile(name).read(upTo: 1_024, at: 0)
        }
        if BinaryStoreFormat.recognises(start) {
            self = .binary
        } else if XMLStoreReader.recognises(start) {
            self = .xml
        } else {
            return nil
        }
    }
}
