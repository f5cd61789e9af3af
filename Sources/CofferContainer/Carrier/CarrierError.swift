internal import CofferLinux

/// Why a carrier did not do what it was asked to; the container is as it was.
package enum CarrierError: Error, Equatable, Sendable {
    /// The container cannot be reached: a disk that is not mounted, a folder that is gone, a failing device.
    case away(place: String, reason: String)
    /// It may not be read.
    case forbidden(place: String)
    /// Nothing may be written there.
    case readOnly(place: String)
    /// There is no room.
    case full(place: String)
    /// One object cannot be read now; others can.
    case unreadable(ObjectName, reason: String)
    /// An object has more bytes than anybody would read; both in bytes.
    case tooLarge(ObjectName, byteCount: Int, limit: Int)
    /// More lies there than anybody needs.
    case overfull(place: String, limit: Int)
    /// The carrier does not tell of changes.
    case unwatchable(place: String, reason: String)
}

extension CarrierError {
    /// What a failure to read or write at `place` means: all but those that have a way out, that it is away.
    init(_ error: LinuxError, at place: String, toWrite: Bool) {
        self =
            if error.isFull {
                .full(place: place)
            } else if error.isWriteRefused {
                toWrite ? .readOnly(place: place) : .forbidden(place: place)
            } else if case .bufferFull(let limit) = error {
                .overfull(place: place, limit: limit)
            } else {
                .away(place: place, reason: error.reason)
            }
    }
}

extension CarrierError: CustomStringConvertible {
    /// What is wrong, where, and what to do.
    package var description: String {
        switch self {
        case .away(let place, let reason):
            "'\(place)' cannot be reached (\(reason)): mount it, or say where it is now"
        case .forbidden(let place): "'\(place)' may not be read: change its permissions"
        case .tooLarge(let name, let byteCount, let limit):
            "'\(name)' would have \(byteCount) bytes, and \(limit) are the most: it is not put there"
        case .readOnly(let place): "Nothing may be written to '\(place)': change its permissions"
        case .full(let place): "There is no room left in '\(place)': free some"
        case .unreadable(let name, let reason): "'\(name)' cannot be read now: \(reason)"
        case .overfull(let place, let limit):
            "'\(place)' holds more than \(limit) names: it is not a container's folder alone"
        case .unwatchable(let place, let reason): "Changes of '\(place)' are not told of (\(reason))"
        }
    }
}
