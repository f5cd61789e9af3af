internal import CofferLinux

extension FolderCarrier {
    /// Where values lie, below the store's folder.
    private static let dataFolder = "data"

    package func list() throws(CarrierError) -> CarrierListing {
        let folder = try folder()
        var objects: Set<ObjectName> = []
        var strangers: [String] = []
        try reaching { () throws(LinuxError) in
            for name in try folder.names() where name != Self.dataFolder && !Self.isCarriers(name) {
                if let object = ObjectName(name) { objects.insert(object) } else { strangers.append(name) }
            }
            let values: Folder
            do throws(LinuxError) {
                values = try folder.folder(Self.dataFolder)
            } catch {
                // A value may come before its folder is seen, and without values there is none.
                guard error.isNotFound else { throw error }
                return
            }
            for name in try values.names() where !Self.isCarriers(name) {
                let path = "\(Self.dataFolder)/\(name)"
                if let object = ObjectName(path) { objects.insert(object) } else { strangers.append(path) }
            }
        }
        return CarrierListing(
            objects: objects, strangers: Array(strangers.sorted().prefix(Limits.strangers)),
            strangerCount: strangers.count)
    }

    /// Whether a name is that of a work file, which software that carries folders hides; ours begin so too.
    private static func isCarriers(_ name: String) -> Bool { name.hasPrefix(".") }

    package func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? {
        let folder = try folder()
        do throws(LinuxError) {
            let bytes = try folder.read("\(name)", limit: Limits.objectByteCount)
            traffic?.noteReceived(bytes.count)
            return bytes
        } catch {
            if error.isNotFound { return nil }
            if case .bufferFull(let limit) = error {
                throw .unreadable(name, reason: "it has more than \(limit) bytes")
            }
            // A carrier that fetches on demand, a link, a folder of that name, a bad block.
            throw .unreadable(name, reason: error.reason)
        }
    }
}
