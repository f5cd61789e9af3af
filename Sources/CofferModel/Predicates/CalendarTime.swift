import FoundationEssentials

/// A moment by the Gregorian calendar in UTC, with the range that SQLite has: the years 0 to 9999.
struct CalendarTime {
    private let days: Int64
    private let seconds: Int64

    /// `nil` outside of that range.
    init?(_ date: Date) {
        let time = (date.timeIntervalSinceReferenceDate + Date.timeIntervalBetween1970AndReferenceDate)
            .rounded(.down)
        guard time >= -62_167_219_200, time <= 253_402_300_799 else { return nil }
        days = Int64(time).dividedDown(by: 86_400)
        seconds = Int64(time) - days * 86_400
    }

    /// The part that a function asks for; `nil` if it asks for no part of a date.
    subscript(_ part: QueryFunction) -> Int64? {
        switch part {
        case .year: CivilDate(daysSince1970: days).year
        case .month: CivilDate(daysSince1970: days).month
        case .day: CivilDate(daysSince1970: days).day
        case .hour: seconds / 3_600
        case .minute: seconds / 60 % 60
        case .second: seconds % 60
        // 1970-01-01 was a Thursday.
        case .weekday: ((days + 4) % 7 + 7) % 7 + 1
        default: nil
        }
    }
}
