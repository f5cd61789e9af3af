/// Bounds on what lies in a container, which anybody who carries it can write to.
package enum Limits {
    /// Bytes of a name: that of a log with the largest numbers has 108.
    static let nameByteCount = 128
    /// Bytes of an object as it lies in the container: a log ends at 8 MiB, and deflate may add a little.
    package static let objectByteCount = 9 << 20
    /// Names that one listing takes: ten peers leave some 400 objects, and values are beside them.
    static let listedNames = 1_000_000
    /// Names that are told of as not ours; more are only counted.
    package static let strangers = 100

    /// Bytes that the content of an object may have.
    static func contentByteCount(of kind: ObjectIdentity.Kind) -> Int {
        switch kind {
        case .marker: 4 << 10
        case .keys, .baseline: 4 << 20
        // As a model may have on the channel.
        case .model: 16 << 20
        case .log, .part, .data: 64 << 20
        }
    }
}
