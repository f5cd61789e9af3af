package import CofferMerge
internal import CofferWire

/// What a marker holds: which peer began the container, and whether its content was removed for good.
package struct MarkerContent: Hashable, Sendable {
    /// The version of the format that its maker wrote.
    package var format: UInt32
    /// The peer that made it.
    package var peer: PeerID
    /// When, in microseconds since 1970 by the maker's clock.
    package var time: Int64
    /// Whether nothing is to be put there again.
    package var isRemoved: Bool

    /// The version of the format that is written here.
    package static let format: UInt32 = 1

    package init(
        format: UInt32 = MarkerContent.format, peer: PeerID, time: Int64, isRemoved: Bool = false
    ) {
        self.format = format
        self.peer = peer
        self.time = time
        self.isRemoved = isRemoved
    }

    /// The content of a marker, which may come from anybody.
    ///
    /// - Throws: `ObjectFault.malformed`, saying what is wrong, and `.newer` if its format is newer.
    package init(reading content: [UInt8]) throws(ObjectFault) {
        let message = try RegisterContent.reading { () throws(WireError) in
            try ContainerMarkerMessage(packed: content)
        }
        guard message.format > 0 else { throw .malformed(reason: "coffer.v1.ContainerMarker.format: 0") }
        guard message.format <= Self.format else {
            throw .newer(version: UInt8(clamping: message.format))
        }
        self.init(
            format: message.format, peer: PeerID(message.peer), time: message.time,
            isRemoved: message.isRemoved)
    }

    /// Its bytes, before deflate.
    package func bytes() throws(ObjectFault) -> [UInt8] {
        let message = ContainerMarkerMessage(
            format: format, peer: peer.number, time: time, isRemoved: isRemoved)
        return try RegisterContent.packing { () throws(WireError) in try message.packed() }
    }
}
