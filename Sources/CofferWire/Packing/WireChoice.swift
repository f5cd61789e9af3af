/// A value of a few that messages name by numbers; 0 names none, or the first.
protocol WireChoice {
    /// The value of a number; `nil` if none has it.
    init?(wire: UInt32)

    /// Its number.
    var wire: UInt32 { get }
}

extension WireChoice where Self: RawRepresentable, RawValue == UInt32 {
    init?(wire: UInt32) { self.init(rawValue: wire) }

    var wire: UInt32 { rawValue }
}

/// Reads a field that names a value.
func requiredChoice<Choice: WireChoice>(_ number: UInt32, _ field: StaticString) throws(WireError) -> Choice {
    guard let choice = Choice(wire: number) else { throw .malformed("\(field): \(number) is unknown") }
    return choice
}

/// Reads a field that may name a value; `nil` if it does not.
func optionalChoice<Choice: WireChoice>(
    _ number: UInt32, _ field: StaticString
) throws(WireError) -> Choice? {
    number == 0 ? nil : try requiredChoice(number, field)
}
