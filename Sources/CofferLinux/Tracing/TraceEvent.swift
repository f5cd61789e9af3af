/// One event of a trace, as Chrome's and Perfetto's trace viewers know it.
///
/// It says what was done and how long it took, with names and counts; values of anybody's objects have no
/// place in it.
package struct TraceEvent: Sendable {
    /// What kind of event it is.
    package enum Kind: Sendable {
        /// Something that took so many nanoseconds.
        case span(nanoseconds: UInt64)
        /// Something that happened.
        case instant
        /// The beginning, a part or the end of what goes from one span to another, which agree in the number.
        case flow(Step, id: UInt64)
        /// Names the process, or the thread.
        case name
    }

    /// Where in a flow an event stands.
    package enum Step: String, Sendable {
        case start = "s"
        case step = "t"
        case end = "f"
    }

    /// What an event says besides.
    package enum Argument: Sendable {
        case text(String)
        case number(Int64)
        case flag(Bool)
    }

    /// What was done; for a name, `process_name` or `thread_name`.
    package var name: String
    /// On which side: `client` or `service`.
    package var category: String
    /// What kind of event it is.
    package var kind: Kind
    /// When it began, on `Monotonic`'s clock, which all processes share.
    package var begin: UInt64
    /// On which row of the process it is shown; `nil` for that of the thread that writes it.
    package var row: Int32?
    /// What it says besides, in order.
    package var arguments: [(key: String, value: Argument)]

    /// An event that begins now unless `begin` says otherwise.
    package init(
        _ name: String, category: String, _ kind: Kind, begin: UInt64 = Monotonic.now, row: Int32? = nil,
        arguments: [(key: String, value: Argument)] = []
    ) {
        self.name = name
        self.category = category
        self.kind = kind
        self.begin = begin
        self.row = row
        self.arguments = arguments
    }

    /// Something that began at `begin` and is over now.
    package static func span(
        _ name: String, category: String, since begin: UInt64, row: Int32? = nil,
        _ arguments: [(key: String, value: Argument)]
    ) -> TraceEvent {
        let taken = max(1, Monotonic.now &- begin)
        return TraceEvent(
            name, category: category, .span(nanoseconds: taken), begin: begin, row: row, arguments: arguments)
    }

    /// The number of what a transaction does in all processes: of its store's UUID, as text, and its own.
    ///
    /// 53 bits, which every reader of JSON keeps.
    package static func flow(ofTransaction number: UInt64, store: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for byte in store.utf8 { mix(byte) }
        for shift in stride(from: 0, to: 64, by: 8) {
            mix(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
        return hash >> 11
    }
}
