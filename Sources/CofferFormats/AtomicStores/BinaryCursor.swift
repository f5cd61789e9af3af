internal import CofferModel
internal import FoundationEssentials

/// A place in the bytes of a binary store, which never passes their end.
struct BinaryCursor {
    private let bytes: [UInt8]
    private let file: String
    private var place: Int

    init(_ bytes: [UInt8], from place: Int, file: String) {
        self.bytes = bytes
        self.place = place
        self.file = file
    }

    var isAtEnd: Bool { place == bytes.count }

    /// What is wrong at this place.
    func damaged(_ reason: String) -> FormatError {
        .damagedStore(path: file, offset: place, reason: reason)
    }

    mutating func byte() throws(FormatError) -> UInt8 {
        guard place < bytes.count else { throw damaged("it ends too early") }
        defer { place += 1 }
        return bytes[place]
    }

    /// A number in its shortest form.
    mutating func number() throws(FormatError) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            let bits = UInt64(next & 0x7F)
            guard shift < 63 || (shift == 63 && bits <= 1), next != 0 || shift == 0 else {
                throw damaged("a number is not in its shortest form, or has more than 64 bits")
            }
            number |= bits << shift
            if next < 0x80 { return number }
            shift += 7
        }
    }

    mutating func signedNumber() throws(FormatError) -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// How many of something follow, each of which takes a byte at least.
    mutating func count() throws(FormatError) -> Int {
        let number = try number()
        guard number <= UInt64(bytes.count - place) else {
            throw damaged("\(number) parts are to follow, and \(bytes.count - place) bytes do")
        }
        return Int(number)
    }

    mutating func counted() throws(FormatError) -> [UInt8] {
        let count = try count()
        defer { place += count }
        return Array(bytes[place..<(place + count)])
    }

    mutating func text() throws(FormatError) -> String {
        let bytes = try counted()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw damaged("a text is not UTF-8")
        }
        return text
    }

    mutating func real() throws(FormatError) -> Double {
        var bits: UInt64 = 0
        for shift in 0..<8 { bits |= UInt64(try byte()) << UInt64(8 * shift) }
        return Double(bitPattern: bits)
    }

    mutating func uuid() throws(FormatError) -> UUID {
        var bytes: [UInt8] = []
        for _ in 0..<16 { bytes.append(try byte()) }
        let b = bytes
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
                b[15]
            ))
    }

    /// An object's id by its distance from another.
    mutating func id(after last: Int64) throws(FormatError) -> (number: Int64, text: String) {
        let (number, isPast) = last.addingReportingOverflow(try signedNumber())
        guard !isPast, number > 0 else { throw damaged("an object's number is not above 0") }
        return (number, AtomicStoreObject.id(ofNumber: number))
    }

    /// An object's own id.
    mutating func ownID() throws(FormatError) -> String {
        guard let number = Int64(exactly: try number()), number > 0 else {
            throw damaged("an object's number is not above 0")
        }
        return AtomicStoreObject.id(ofNumber: number)
    }

    mutating func value() throws(FormatError) -> AtomicStoreValue {
        switch BinaryStoreFormat.Kind(rawValue: try byte()) {
        case .integer: return .integer(try signedNumber())
        case .no: return .boolean(false)
        case .yes: return .boolean(true)
        case .real: return .real(try real())
        case .decimal:
            let digits = try text()
            guard Decimal(exactText: digits) != nil else { throw damaged("a decimal has no digits") }
            return .decimal(digits)
        case .text: return .text(try text())
        case .date:
            let seconds = try real()
            guard seconds.isFinite else { throw damaged("a date is not finite") }
            return .date(seconds)
        case .bytes: return .bytes(try counted())
        case nil: throw damaged("a value is of no known kind")
        }
    }
}
