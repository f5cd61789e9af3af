import FoundationEssentials

/// Makes contacts from their place alone, so that every process knows what each must be.
enum ContactGenerator {
    /// The contact at `index`, which does not change between runs.
    static func contact(_ index: Int) -> Contact {
        var dice = Dice(seed: 0xC0FF_EE00 &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
        let first = dice.pick(firstNames)
        let last = dice.pick(syllables) + dice.pick(syllables).lowercased() + dice.pick(endings)
        return Contact(
            firstName: first, lastName: last, email: email(index), phone: phone(&dice),
            city: dice.pick(cities),
            age: Int32(18 + dice.below(80)), balance: Double(dice.below(2_000_000)) / 100 - 5_000,
            created: Date(timeIntervalSinceReferenceDate: Double(dice.below(800_000_000)) + 0.25))
    }

    /// The e-mail of the contact at `index`; no two are equal.
    static func email(_ index: Int) -> String {
        var dice = Dice(seed: 0x0E4A_11ED &+ UInt64(index))
        return "\(dice.pick(firstNames).lowercased()).\(index)@\(dice.pick(hosts))"
    }

    private static func phone(_ dice: inout Dice) -> String {
        "+\(1 + dice.below(98)) \(100 + dice.below(900)) \(1_000_000 + dice.below(9_000_000))"
    }

    private static let firstNames = [
        "Ada", "Björn", "Charlotte", "Dmitri", "Elisabeth", "Fatima", "George", "Hanna", "Ibrahim", "Jürgen",
        "Katharina", "Lu", "Maximilian", "Noor", "Olga", "Pedro", "Quentin", "Rosalind", "Søren", "Theodora",
    ]
    private static let syllables = [
        "An", "Ber", "Cor", "Den", "El", "Fal", "Gar", "Hol", "In", "Jor", "Kel", "Lan", "Mar", "Nor", "Os",
        "Pet",
    ]
    private static let endings = ["son", "mann", "ez", "ova", "ski", "ley", "berg", "i"]
    private static let hosts = [
        "example.org", "mail.example.com", "post.example.net", "students.university.example",
    ]
    private static let cities = [
        "Aachen", "Buenos Aires", "Cape Town", "Dar es Salaam", "Edinburgh", "Freiburg im Breisgau",
        "Göteborg",
        "Hyderabad", "Istanbul", "Kyoto", "Lima", "Montréal", "Nairobi", "Oslo", "San Francisco", "Zürich",
    ]
}

/// Random numbers from a seed; splitmix64, after Steele, Lea and Flood (2014).
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number from 0 up to, not with, `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// One of `choices`, which are not empty.
    mutating func pick(_ choices: [String]) -> String { choices[below(choices.count)] }
}
