/// Why bytes that lie in a container are not taken as an object; each is left where it is.
package enum ObjectFault: Error, Equatable, Sendable {
    /// They are fewer than a header: it is still being written or carried, or a placeholder.
    case short(byteCount: Int)
    /// They do not begin as our objects do: a placeholder, or a file that is not ours.
    case foreign
    /// They are of a later version of the format.
    case newer(version: UInt8)
    /// They are not what was written: cut short, or changed.
    case damaged
    /// They are what was written, but no object.
    case malformed(reason: String)
    /// The key that they are sealed with is not known here.
    case locked(KeyID)
    /// They say that they grow to more than anybody writes.
    case tooLarge(byteCount: UInt64, limit: Int)
    /// They are another object than their name says.
    case misnamed(is: ObjectName)
    /// It was written by a clock that is far ahead of this machine's: what it holds would win over everything
    /// that is written here.
    case ahead(days: Int64)
    /// It was read, and what it holds cannot be joined here.
    case unjoinable(reason: String)
}

extension ObjectFault: CustomStringConvertible {
    /// What is wrong, and what to do if anything helps.
    package var description: String {
        switch self {
        case .short(let byteCount): "it has \(byteCount) bytes only: it has not come whole yet"
        case .foreign: "it is not an object of Coffer's, or only a placeholder for one"
        case .newer(let version):
            "it is of version \(version) or later of the format: update Coffer on this machine"
        case .damaged: "it is cut short or damaged: it is read as soon as it has come whole"
        case .malformed(let reason): "it cannot be read: \(reason)"
        case .locked(let key): "it is sealed with key \(key), which is not known here"
        case .tooLarge(let byteCount, let limit):
            "it would grow to \(byteCount) bytes, and \(limit) are the most"
        case .misnamed(let name): "it is a copy of '\(name)' under another name"
        case .ahead(let days):
            "it was written \(days) days ahead of this machine's clock: it is read when that time has come, or the "
                + "clock is right; the machine that wrote it had a wrong clock, if this one's is right"
        case .unjoinable(let reason): "what it holds cannot be taken over here: \(reason)"
        }
    }
}
