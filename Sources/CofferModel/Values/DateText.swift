package import FoundationEssentials

/// Dates as text: ISO 8601 in UTC, to the microsecond.
package enum DateText {
    /// `2026-01-31T12:00:00Z`, with a fraction if there is one.
    package static func text(of date: Date) -> String {
        let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
        guard abs(microseconds) < 9e18 else { return "\(date.timeIntervalSinceReferenceDate)" }
        let total = Int64(microseconds)
        let seconds = total.dividedDown(by: 1_000_000)
        let fraction = total - seconds * 1_000_000
        let days = seconds.dividedDown(by: 86_400)
        let second = seconds - days * 86_400
        let date = CivilDate(daysSince1970: days)
        var text = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
        text += "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        if fraction > 0 {
            var digits = padded(fraction, 6)
            while digits.last == "0" { digits.removeLast() }
            text += ".\(digits)"
        }
        return text + "Z"
    }

    /// Reads `2026-01-31`, or that with `T12:00`, seconds, a fraction, and `Z` or `+01:00`; UTC if no zone
    /// is named.
    package static func date(_ text: String) -> Date? {
        let shape =
            // Not \d, which takes the digits of every script, of which Int reads none.
            /(-?[0-9]{4,6})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]{1,9})?)?\s*(?:(Z|z)|([+-])([0-9]{2}):?([0-9]{2}))?)?/
        guard let match = text.wholeMatch(of: shape), let year = Int64(match.1), let month = Int64(match.2),
            let day = Int64(match.3), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        let days = date.daysSince1970
        guard CivilDate(daysSince1970: days) == date else { return nil }  // There is no 31st of June.
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

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number.magnitude)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
