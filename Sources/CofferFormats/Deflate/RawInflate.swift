/// Reads raw deflate (RFC 1951).
///
/// The bytes may come from anywhere: what they grow to is bounded, and no code leads outside.
package enum RawInflate {
    /// What `bytes` were before they were compressed; what follows the last block is ignored.
    ///
    /// - Throws: `FormatError.damagedDeflate`, saying what is wrong, and where there would be more than `limit` bytes.
    package static func decompress(_ bytes: [UInt8], limit: Int) throws(FormatError) -> [UInt8] {
        var run = InflateRun(bytes, limit: limit)
        while try !run.block() {}
        return run.output
    }
}

/// One reading of one stream.
private struct InflateRun {
    private let bytes: [UInt8]
    private let limit: Int
    private var place = 0
    private var waiting: UInt32 = 0
    private var count = 0
    private(set) var output: [UInt8] = []

    init(_ bytes: [UInt8], limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }

    /// Reads one block; says whether it was the last.
    mutating func block() throws(FormatError) -> Bool {
        let isLast = try bits(1) == 1
        switch try bits(2) {
        case 0: try stored()
        case 1:
            try compressed(
                try PrefixCode(DeflateTables.fixedLengths), try PrefixCode(Array(repeating: 5, count: 30)))
        case 2:
            let (literals, distances) = try codes()
            try compressed(literals, distances)
        default: throw Self.damaged("it has a block of an unknown kind")
        }
        return isLast
    }

    private mutating func bits(_ wanted: Int) throws(FormatError) -> Int {
        while count < wanted {
            guard place < bytes.count else { throw Self.damaged("it ends early") }
            waiting |= UInt32(bytes[place]) << UInt32(count)
            place += 1
            count += 8
        }
        defer {
            waiting >>= UInt32(wanted)
            count -= wanted
        }
        return Int(waiting & (1 << UInt32(wanted) - 1))
    }

    private mutating func stored() throws(FormatError) {
        // The block begins with the next whole byte; fewer than eight bits are ever read ahead here.
        (waiting, count) = (0, 0)
        guard place + 4 <= bytes.count else { throw Self.damaged("it ends early") }
        let length = Int(bytes[place]) | Int(bytes[place + 1]) << 8
        let check = Int(bytes[place + 2]) | Int(bytes[place + 3]) << 8
        place += 4
        guard length == check ^ 0xFFFF else { throw Self.damaged("a block's length is not confirmed") }
        guard place + length <= bytes.count else { throw Self.damaged("it ends early") }
        guard output.count + length <= limit else { throw tooLong }
        output += bytes[place..<place + length]
        place += length
    }

    private mutating func compressed(_ literals: PrefixCode, _ distances: PrefixCode) throws(FormatError) {
        while true {
            let symbol = try symbol(literals)
            switch symbol {
            case ..<256:
                guard output.count < limit else { throw tooLong }
                output.append(UInt8(symbol))
            case 256: return
            default:
                guard symbol - 257 < DeflateTables.lengths.count else {
                    throw Self.damaged("it has no such length")
                }
                let length = try value(DeflateTables.lengths[symbol - 257])
                let code = try self.symbol(distances)
                guard code < DeflateTables.distances.count else {
                    throw Self.damaged("it has no such distance")
                }
                try copy(length, from: try value(DeflateTables.distances[code]))
            }
        }
    }

    private mutating func value(_ entry: (base: Int, extraBits: Int)) throws(FormatError) -> Int {
        entry.base + (try bits(entry.extraBits))
    }

    private mutating func copy(_ length: Int, from distance: Int) throws(FormatError) {
        guard distance <= output.count else { throw Self.damaged("it repeats what was not there") }
        guard output.count + length <= limit else { throw tooLong }
        // One by one: what is repeated may be what the repetition has just written.
        for _ in 0..<length { output.append(output[output.count - distance]) }
    }

    private mutating func symbol(_ code: PrefixCode) throws(FormatError) -> Int {
        var reading = PrefixCode.Reading()
        for _ in 0..<PrefixCode.longest {
            if let symbol = code.next(try bits(1), &reading) { return symbol }
        }
        throw Self.damaged("it has a code that stands for nothing")
    }

    /// The codes of a block that brings its own.
    private mutating func codes() throws(FormatError) -> (literals: PrefixCode, distances: PrefixCode) {
        let (literalCount, distanceCount) = (try bits(5) + 257, try bits(5) + 1)
        let codeCount = try bits(4) + 4
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var codeLengths = Array(repeating: 0, count: order.count)
        for index in order.prefix(codeCount) { codeLengths[index] = try bits(3) }
        let code = try PrefixCode(codeLengths)
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            switch try symbol(code) {
            case 16:
                guard let last = lengths.last else { throw Self.damaged("it repeats what was not there") }
                lengths += Array(repeating: last, count: try bits(2) + 3)
            case 17: lengths += Array(repeating: 0, count: try bits(3) + 3)
            case 18: lengths += Array(repeating: 0, count: try bits(7) + 11)
            case let length: lengths.append(length)
            }
        }
        guard lengths.count == literalCount + distanceCount else {
            throw Self.damaged("it has too many codes")
        }
        return (
            try PrefixCode(Array(lengths[..<literalCount])), try PrefixCode(Array(lengths[literalCount...]))
        )
    }

    private var tooLong: FormatError { Self.damaged("it would grow beyond \(limit) bytes") }

    static func damaged(_ reason: String) -> FormatError { .damagedDeflate(reason: reason) }
}

/// Codes of different lengths of which none begins another: given by how many bits each symbol has.
private struct PrefixCode {
    static let longest = 15

    /// How far one code is read.
    struct Reading {
        fileprivate var code = 0
        fileprivate var first = 0
        fileprivate var index = 0
        fileprivate var length = 0
    }

    private var counts = Array(repeating: 0, count: Self.longest + 1)
    private var symbols: [Int] = []

    init(_ lengths: [Int]) throws(FormatError) {
        for length in lengths { counts[length] += 1 }
        counts[0] = 0
        var free = 1
        for length in 1...Self.longest {
            free = free * 2 - counts[length]
            guard free >= 0 else { throw InflateRun.damaged("it has more codes than there can be") }
        }
        for length in 1...Self.longest {
            for (symbol, own) in lengths.enumerated() where own == length { symbols.append(symbol) }
        }
    }

    /// Takes one more bit; the symbol, once it is known.
    func next(_ bit: Int, _ reading: inout Reading) -> Int? {
        reading.length += 1
        reading.code |= bit
        let count = counts[reading.length]
        if reading.code - count < reading.first {
            return symbols[reading.index + reading.code - reading.first]
        }
        reading.index += count
        reading.first = (reading.first + count) << 1
        reading.code <<= 1
        return nil
    }
}
