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
        let (days, rest) = Int64(time).quotientAndRemainder(dividingBy: 86_400)
        self.days = rest < 0 ? days - 1 : days
        seconds = rest < 0 ? rest + 86_400 : rest
    }

    /// The part that a function asks for; `nil` where it asks for no part of a date.
    subscript(_ part: QueryFunction) -> Int64? {
        switch part {
        case .year: civil.year
        case .month: civil.month
        case .day: civil.day
        case .hour: seconds / 3_600
        case .minute: seconds / 60 % 60
        case .second: seconds % 60
        // 1970-01-01 was a Thursday.
        case .weekday: ((days + 4) % 7 + 7) % 7 + 1
        default: nil
        }
    }

    /// Years are counted from March on here, so that the day that a leap year has more is the last of its
    /// year.
    private var civil: (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
