internal import CofferContainer
internal import CofferLinux
internal import CofferStores

extension StoreFile {
    /// Where it is; `nil` if that cannot be told.
    var peerPlace: PeerIdentity.Place? {
        guard let facts = try? folder.facts(of: fileName) else { return nil }
        return PeerIdentity.Place(
            machine: Machine.id, boot: Machine.boot, device: facts.device, file: facts.inode)
    }
}

extension PeerIdentity.Place {
    /// As the file keeps it: its parts, with spaces between.
    var bytes: [UInt8] { Array("\(machine) \(boot) \(device) \(file)".utf8) }

    /// The place that a file keeps; `nil` if it is not written like that.
    init?(bytes: [UInt8]) {
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, let device = UInt64(parts[2]), let file = UInt64(parts[3]) else { return nil }
        self.init(machine: String(parts[0]), boot: String(parts[1]), device: device, file: file)
    }
}
