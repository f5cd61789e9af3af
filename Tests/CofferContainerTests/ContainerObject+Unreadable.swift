import CofferContainer
import CofferFormats

/// Objects as another version of Coffer would write them.
extension ContainerObject {
    /// Its bytes in version 2 of the format.
    var laterBytes: [UInt8] {
        var bytes = packed().bytes
        bytes[4] = 2
        return bytes
    }

    /// Its bytes with a header that says that they are sealed with `key`.
    func sealedBytes(with key: KeyID) -> [UInt8] {
        var bytes = packed().bytes
        for place in 0..<8 { bytes[8 + place] = UInt8(truncatingIfNeeded: key.number >> (8 * (7 - place))) }
        bytes.replaceSubrange(24..<32, with: [UInt8](repeating: 0, count: 8))
        bytes.replaceSubrange(24..<32, with: SHA256.digest(of: bytes).prefix(8))
        return bytes
    }
}
