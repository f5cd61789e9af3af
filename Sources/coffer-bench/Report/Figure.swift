/// Writes numbers for people and for programs.
enum Figure {
    /// Three digits that count, thousands apart by commas.
    static func text(_ value: Double) -> String {
        let size = value.magnitude
        if size >= 100 || value == value.rounded() { return grouped(Int(value.rounded())) }
        return decimal(value, places: size >= 10 ? 1 : 2)
    }

    /// With three digits behind the point, which is all that repeats.
    static func exact(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : decimal(value, places: 3)
    }

    private static func decimal(_ value: Double, places: Int) -> String {
        let scale = [1, 10, 100, 1_000][places]
        let units = Int((value.magnitude * Double(scale)).rounded())
        let fraction = String(units % scale + scale).dropFirst()
        return (value < 0 ? "-" : "") + "\(units / scale).\(fraction)"
    }

    private static func grouped(_ number: Int) -> String {
        var text = String(number.magnitude)
        var place = text.count - 3
        while place > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
            place -= 3
        }
        return (number < 0 ? "-" : "") + text
    }
}
