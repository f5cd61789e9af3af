package import FoundationEssentials

/// Dates as text: ISO 8601 in UTC, to the microsecond.
package enum DateText {
    /// `2026-01-31T12:00:00Z`, with a fraction where there is one.
    package static func text(of date: Date) -> String {
        let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
        guard abs(microseconds) < 9e18 else { return "\(date.timeIntervalSinceReferenceDate)" }
        let total = Int64(microseconds)
        let seconds = floorDivide(total, 1_000_000)
        let fraction = total - seconds * 1_000_000
        let days = floorDivide(seconds, 86_400)
        let second = Int(seconds - days * 86_400)
        let (year, month, day) = civil(days)
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
        text += "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        if fraction > 0 {
            var digits = padded(Int(fraction), 6)
            while digits.last == "0" { digits.removeLast() }
            text += ".\(digits)"
        }
        return text + "Z"
    }

    /// Reads `2026-01-31`, or that with `T12:00`, seconds, a fraction, and `Z` or `+01:00`; UTC where no zone
    /// is named.
    package static func date(_ text: String) -> Date? {
        let shape =
            // Not \d, which takes the digits of every script, of which Int reads none.
            /(-?[0-9]{4,6})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]{1,9})?)?\s*(?:(Z|z)|([+-])([0-9]{2}):?([0-9]{2}))?)?/
        guard let match = text.wholeMatch(of: shape), let year = Int(match.1), let month = Int(match.2),
            let day = Int(match.3), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let days = days(year, month, day)
        guard civil(days) == (year, month, day) else { return nil }  // There is no 31st of June.
        let hour = match.4.flatMap { Int($0) } ?? 0
        let minute = match.5.flatMap { Int($0) } ?? 0
        let second = match.6.flatMap { Int($0) } ?? 0
        guard hour < 24, minute < 60, second < 60 else { return nil }
        let fraction = match.7.flatMap { Double("0\($0)") } ?? 0
        var zone = 0
        if let sign = match.9, let hours = match.10.flatMap({ Int($0) }),
            let minutes = match.11.flatMap({ Int($0) })
        {
            guard hours < 24, minutes < 60 else { return nil }
            zone = (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
        }
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second - zone)
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number.magnitude)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - text.count)) + text
    }

    private static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    /// Days since 1970-01-01, in the Gregorian calendar; years begin with March, so that leap days come last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let year = Int64(month > 2 ? year : year - 1)
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        return (
            Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month,
            Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        )
    }
}
