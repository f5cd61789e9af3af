/// Strings between others: steps of a head, the run's random bytes and a count in the run.
///
/// Heads and counts say their length first, so that they sort as numbers and grow by the logarithm. A
/// run's bytes keep its members together if several peers put runs at one spot.
package enum PlaceSteps {
    /// So many places in ascending order between two others.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - left: What the first must be above; `nil` if it may be the first of all.
    ///   - right: What the last must be below; `nil` if it may be the last of all.
    ///   - salt: The run's random bytes.
    /// - Returns: `nil` if nothing fits between.
    package static func run(of count: Int, between left: Place?, and right: Place?, salt: UInt32) -> [Place]?
    {
        guard let prefix = prefix(between: left?.bytes, and: right?.bytes) else { return nil }
        var head = prefix
        for shift in [24, 16, 8, 0] as [UInt32] { head.append(UInt8(truncatingIfNeeded: salt >> shift)) }
        return (0..<count).map { Place(head + number(Int64($0))) }
    }

    /// The place behind one of a run, in that run.
    package static func next(to place: Place) -> Place? {
        for length in 0...8 {
            let start = place.bytes.count - length - 1
            guard start > 4, let last = value(place.bytes[start...]), last >= 0, last < Int64.max else {
                continue
            }
            return Place(Array(place.bytes[..<start]) + number(last + 1))
        }
        return nil
    }

    private static func prefix(between left: [UInt8]?, and right: [UInt8]?) -> [UInt8]? {
        switch (left, right) {
        case (nil, nil): return number(0)
        case (let left?, nil):
            // Above the first head of the last member, if that can be read.
            if let head = value(left[...]), head < Int64.max { return number(head + 1) }
            return left + number(0)
        case (nil, let right?): return before(right[...])
        case (let left?, let right?):
            guard left.lexicographicallyPrecedes(right) else { return nil }
            if !right.starts(with: left) { return left + number(0) }
            return before(right[left.count...]).map { left + $0 }
        }
    }

    /// What is below some bytes, however it goes on.
    private static func before(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        if let head = value(bytes), head > Int64.min { return number(head - 1) }
        guard let end = bytes.firstIndex(where: { $0 > 0 }) else { return nil }
        return Array(bytes[..<end]) + [bytes[end] - 1]
    }

    /// A number whose bytes sort as numbers do.
    private static func number(_ value: Int64) -> [UInt8] {
        let magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
        let count = (64 - magnitude.leadingZeroBitCount + 7) / 8
        var bytes: [UInt8] = [value < 0 ? 0x7F - UInt8(count) : 0x80 + UInt8(count)]
        for place in (0..<count).reversed() {
            let byte = UInt8(truncatingIfNeeded: magnitude >> UInt64(8 * place))
            bytes.append(value < 0 ? ~byte : byte)
        }
        return bytes
    }

    /// The number at the start of some bytes, of those that `number` made.
    private static func value(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard let first = bytes.first else { return nil }
        let isNegative = first < 0x80
        let count = isNegative ? 0x7F - Int(first) : Int(first) - 0x80
        guard count <= 8, bytes.count > count else { return nil }
        var magnitude: UInt64 = 0
        for byte in bytes.dropFirst().prefix(count) {
            magnitude = magnitude << 8 | UInt64(isNegative ? ~byte : byte)
        }
        guard magnitude <= UInt64(Int64.max) else { return nil }
        let found = isNegative ? ~Int64(magnitude) : Int64(magnitude)
        return number(found).elementsEqual(bytes.prefix(count + 1)) ? found : nil
    }
}
