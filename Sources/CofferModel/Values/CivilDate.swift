/// A day of the Gregorian calendar, which also counts what was before there was one; it may be one that its
/// month does not have.
struct CivilDate: Equatable {
    let year: Int64
    /// From 1 to 12.
    let month: Int64
    /// From 1 on.
    let day: Int64
}

extension CivilDate {
    // Years begin with March in both calculations, so that the day that a leap year has more is the last of
    // its year.

    /// The day that is so many after 1970-01-01.
    init(daysSince1970 days: Int64) {
        let shifted = days + Self.daysBefore1970
        let era = shifted.dividedDown(by: Self.daysOfEra)
        let dayOfEra = shifted - era * Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// How many days it is after 1970-01-01; a day that its month does not have counts on into the next.
    var daysSince1970: Int64 {
        let year = month > 2 ? year : year - 1
        let era = year.dividedDown(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * Self.daysOfEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - Self.daysBefore1970
    }

    /// The days of 400 years.
    private static let daysOfEra: Int64 = 146_097
    /// From the first of March of the year 0.
    private static let daysBefore1970: Int64 = 719_468
}

extension Int64 {
    /// The quotient, rounded down for negative numbers too.
    func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
