import CofferLinux

/// A file without a name that holds frames of an answer until their client reads them.
///
/// Shared: each frame has a place of its own. The file goes with the last frame that is in it.
final class SpillFile: Sendable {
    private let descriptor: OwnedDescriptor

    /// An empty file on the disk of `folder`.
    init(in folder: Folder) throws(LinuxError) {
        let (high, low) = Randomness.words()
        let name = ".\(String(high, radix: 36))\(String(low, radix: 36)).unread"
        descriptor = try folder.openBeneath(name, [.readWrite, .create, .exclusive])
        try folder.unlink(name)
    }

    /// Puts a frame at its place.
    func write(_ item: OutboundQueue.Item, at offset: Int) throws(LinuxError) {
        try descriptor.writeAll(item.header, at: offset)
        try descriptor.writeAll(item.payload, at: offset + item.header.count)
    }

    /// What stands at a place; less if the file is damaged.
    func read(upTo count: Int, at offset: Int) throws(LinuxError) -> [UInt8] {
        try descriptor.read(upTo: count, at: offset)
    }
}
