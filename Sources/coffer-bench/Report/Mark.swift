/// A figure that Coffer is to reach.
enum Mark {
    /// At least so many times what SQLite does.
    case atLeastOfSQLite(Double)
    /// At most so many times what SQLite takes.
    case atMostOfSQLite(Double)
    /// At least so much.
    case atLeast(Double)
    /// At most so much.
    case atMost(Double)
    /// At most so many times what it takes with a hundredth of the rows.
    case atMostOfFewRows(Double)
    /// At most so many microseconds above the save itself.
    case aboveOwnSave(Double)

    /// The mark for a metric of a step; `nil` if there is none.
    static func of(_ step: Step, _ metric: Metric, objectCount: Int) -> Mark? {
        switch (step, metric) {
        case (.insert, .objectsPerSecond): .atLeastOfSQLite(0.6)
        case (.save, .savesPerSecond): .atLeastOfSQLite(0.85)
        case (.saveTogether, .savesPerSecond): .atLeastOfSQLite(5)
        case (.saveTogether, .worst): .atMost(6_000)
        case (.find, .p50): .atMost(10)
        case (.find, .idleP50): .atMost(70)
        case (.fetchAll, .milliseconds): .atMostOfSQLite(1)
        case (.fetchAll, .peakClientMegabytes) where objectCount >= 100_000: .atMost(40)
        case (.fetchAll, .peakServiceMegabytes) where objectCount >= 100_000: .atMost(30)
        case (.notify, .p50): .aboveOwnSave(60)
        case (.notify, .p99): .atMost(700)
        case (.start, .milliseconds): .atMost(20)
        case (.readProperties, .integerNanoseconds), (.readProperties, .doubleNanoseconds): .atMost(100)
        case (.readProperties, .textNanoseconds), (.readProperties, .longTextNanoseconds): .atMost(100)
        case (.fire, .p50): .atMost(1)
        case (.weigh, .faultBytes): .atMost(1_500)
        case (.relate, .p50): .atMostOfSQLite(1.5)
        case (.follow, .p50): .atMostOfFewRows(1.5)
        case (.follow, .roundTrips): .atMost(0)
        case (.dump, .objectsPerSecond): .atLeastOfSQLite(0.5)
        case (.share, .objectsPerSecond): .atLeast(50_000)
        case (.share, .p50): .atMost(30_000)
        case (.share, .p99): .atMost(150_000)
        case (.share, .joinMilliseconds) where objectCount <= 10_000: .atMost(2_500)
        case (.share, .changeBytes): .atMost(300)
        case (.idle, .processorTicks): .atMost(0)
        case (.idle, .contextSwitches): .atMost(0)
        case (.idle, .serviceMegabytes): .atMost(12)
        default: nil
        }
    }

    /// The mark, for people.
    var text: String {
        switch self {
        case .atLeastOfSQLite(let factor): "≥ \(Figure.text(factor)) × sqlite"
        case .atMostOfSQLite(let factor): "≤ \(Figure.text(factor)) × sqlite"
        case .atMostOfFewRows(let factor): "≤ \(Figure.text(factor)) × few rows"
        case .atLeast(let value): "≥ \(Figure.text(value))"
        case .atMost(let value): "≤ \(Figure.text(value))"
        case .aboveOwnSave(let value): "≤ own save + \(Figure.text(value))"
        }
    }

    /// Whether `value` reaches the mark; `nil` if what it is compared with was not measured.
    func isReached(by value: Double, sqlite: Double?, ownSave: Double?, fewRows: Double?) -> Bool? {
        switch self {
        case .atLeastOfSQLite(let factor): sqlite.map { value >= factor * $0 }
        case .atMostOfSQLite(let factor): sqlite.map { value <= factor * $0 }
        case .atMostOfFewRows(let factor): fewRows.map { value <= factor * $0 }
        case .atLeast(let limit): value >= limit
        case .atMost(let limit): value <= limit
        case .aboveOwnSave(let limit): ownSave.map { value <= $0 + limit }
        }
    }
}
