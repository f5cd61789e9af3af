// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// A value that stands in objects of its own.
///
/// `coffer.v1.ContainerLargeValue`.
package struct ContainerLargeValueMessage: Sendable, Equatable {
    /// 1 a string's UTF-8, 2 binary data, 3 a URI's UTF-8, 4 what a transformer made.
    package var kind: UInt32
    /// How many bytes it has: 1 to 256 MiB.
    package var byteCount: UInt64
    /// For each piece the first 20 bytes of the SHA-256 of its bytes: the name of its object.
    package var hashes: [UInt8]

    /// A message from its fields.
    package init(kind: UInt32, byteCount: UInt64, hashes: [UInt8]) {
        self.kind = kind
        self.byteCount = byteCount
        self.hashes = hashes
    }
}

extension ContainerLargeValueMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerLargeValue>) {
        unsafe coffer__v1__container_large_value__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerLargeValue>) throws(WireError) {
        let c = unsafe message.pointee
        kind = unsafe c.kind
        byteCount = unsafe c.byte_count
        hashes = unsafe c.hashes.array()
    }

    func fill(_ c: inout Coffer__V1__ContainerLargeValue, in arena: inout PackArena) {
        unsafe c.kind = kind
        unsafe c.byte_count = byteCount
        unsafe c.hashes = arena.data(hashes)
    }
}
