internal import CofferFormats

/// One immutable object of a container: what it is, and its content.
///
/// Its bytes are a header, numbers in it with the most significant byte first, and the content as raw deflate
/// (RFC 1951):
///
/// | bytes | what |
/// | --- | --- |
/// | 4 | `CfrO` |
/// | 1 | version of the format: 1 |
/// | 1 | kind: 1 marker, 2 keys, 3 log, 4 baseline, 5 part, 6 model, 7 data, 8 removal |
/// | 2 | 0 |
/// | 8 | id of the key that the content is sealed with; 0: it is not encrypted |
/// | 8 | how many bytes the content has before deflate |
/// | 8 | the first bytes of the SHA-256 of the whole object with zeros here |
/// | 8 each | marker, removal: container (2); keys: key; log: peer, two folds; baseline: peer, number |
///
/// So an object that a carrier renamed says by itself what it is, and what was cut short or damaged is
/// noticed whatever it is called.
///
/// Before a program puts objects of a later version into a container, or sealed ones, it puts a marker of
/// that kind there: programs that cannot read that marker leave the container alone.
package struct ContainerObject: Hashable, Sendable {
    /// What it is.
    package let identity: ObjectIdentity
    /// Its content: a message of Protos/coffer/v1/container.proto, or a value's bytes.
    package let content: [UInt8]

    package init(_ identity: ObjectIdentity, content: [UInt8]) {
        self.identity = identity
        self.content = content
    }
}

extension ContainerObject {
    private static let magic = Array("CfrO".utf8)
    private static let version: UInt8 = 1
    private static let checkRange = 24..<32
    private static let fixedByteCount = 32

    /// Its bytes and the name that they have in a container.
    ///
    /// The same object has the same bytes as long as zlib deflates the same, which nothing relies on: a
    /// second form of one object is another object with the same registers in it.
    package func packed() -> (name: ObjectName, bytes: [UInt8]) {
        var bytes = Self.magic + [Self.version, identity.kind.rawValue, 0, 0]
        bytes += KeyID.plain.number.bigEndianBytes
        bytes += UInt64(content.count).bigEndianBytes
        bytes += [UInt8](repeating: 0, count: Self.checkRange.count)
        for number in identity.numbers { bytes += number.bigEndianBytes }
        bytes += RawDeflate.compress(content)
        bytes.replaceSubrange(Self.checkRange, with: Self.check(of: bytes))
        return (objectName(of: bytes), bytes)
    }

    /// Checks that it is not larger than what is read.
    ///
    /// - Parameter byteCount: How many bytes it has when packed.
    /// - Throws: `ObjectFault.tooLarge`.
    func checkSize(packed byteCount: Int) throws(ObjectFault) {
        let limit = Limits.contentByteCount(of: identity.kind)
        guard content.count <= limit else { throw .tooLarge(byteCount: UInt64(content.count), limit: limit) }
        guard byteCount <= Limits.objectByteCount else {
            throw .tooLarge(byteCount: UInt64(byteCount), limit: Limits.objectByteCount)
        }
    }

    /// Reads an object's bytes, which may come from anybody.
    ///
    /// - Throws: `ObjectFault` saying what is wrong; nothing is believed before the check fits.
    package init(reading bytes: [UInt8]) throws(ObjectFault) {
        guard bytes.count >= Self.fixedByteCount else { throw .short(byteCount: bytes.count) }
        guard bytes.starts(with: Self.magic) else { throw .foreign }
        guard bytes[4] > 0 else { throw .damaged }
        guard bytes[4] == Self.version else { throw .newer(version: bytes[4]) }
        guard let kind = ObjectIdentity.Kind(rawValue: bytes[5]), bytes[6] == 0, bytes[7] == 0 else {
            throw .newer(version: Self.version)
        }
        var blank = bytes
        blank.replaceSubrange(Self.checkRange, with: [UInt8](repeating: 0, count: Self.checkRange.count))
        guard Self.check(of: blank).elementsEqual(bytes[Self.checkRange]) else { throw .damaged }
        let contentStart = Self.fixedByteCount + 8 * kind.numberCount
        guard bytes.count >= contentStart else { throw .short(byteCount: bytes.count) }
        let numbers = stride(from: Self.fixedByteCount, to: contentStart, by: 8).map {
            UInt64(bigEndianBytes: bytes[$0..<$0 + 8])
        }
        guard let identity = ObjectIdentity(kind, numbers: numbers) else {
            throw .malformed(reason: "its folds count backwards")
        }
        let key = KeyID(number: UInt64(bigEndianBytes: bytes[8..<16]))
        guard key == .plain else { throw .locked(key) }
        let byteCount = UInt64(bigEndianBytes: bytes[16..<24])
        let limit = Limits.contentByteCount(of: kind)
        guard byteCount <= UInt64(limit) else { throw .tooLarge(byteCount: byteCount, limit: limit) }
        let content: [UInt8]
        do throws(FormatError) {
            content = try RawDeflate.decompress(Array(bytes[contentStart...]), limit: Int(byteCount))
        } catch {
            throw .malformed(reason: "\(error)")
        }
        guard content.count == Int(byteCount) else {
            throw .malformed(reason: "its content has \(content.count) bytes instead of \(byteCount)")
        }
        self.init(identity, content: content)
    }

    /// Reads the bytes that lie in a container under `name`.
    ///
    /// - Throws: `ObjectFault`, `.damaged` if the name says that they were others, and `.misnamed` if
    ///   they are a whole object of another name.
    package init(reading bytes: [UInt8], named name: ObjectName) throws(ObjectFault) {
        try self.init(reading: bytes)
        let actual = objectName(of: bytes)
        guard actual == name else { throw .misnamed(is: actual) }
    }

    /// What an object of these bytes is called: a value, which registers name before anybody packs it, by its
    /// content.
    func objectName(of bytes: [UInt8]) -> ObjectName {
        ObjectName(identity, hash: ObjectHash(of: identity == .data ? content : bytes))
    }

    private static func check(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        SHA256.digest(of: bytes).prefix(checkRange.count)
    }
}
