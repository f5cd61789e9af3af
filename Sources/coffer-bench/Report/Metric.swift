/// What is measured; the raw values stand in the output.
enum Metric: String, CaseIterable {
    case objectsPerSecond = "objects_per_s"
    case savesPerSecond = "saves_per_s"
    case p50 = "p50_us"
    case p99 = "p99_us"
    case worst = "worst_us"
    /// Of rows that are not held yet.
    case uncachedP50 = "uncached_p50_us"
    /// Of rows that are read for the second time.
    case againP50 = "again_p50_us"
    /// From an idle process: with pauses between the calls.
    case idleP50 = "idle_p50_us"
    /// Of a store with a hundredth of the rows.
    case fewRowsP50 = "few_rows_p50_us"
    /// Requests to the service: for each change of a list, or for a whole walk.
    case roundTrips = "round_trips"
    /// How long the save itself took in the process that saved.
    case saveP50 = "save_p50_us"
    /// How long the same save takes in a store that is not shared.
    case plainP50 = "plain_p50_us"
    /// From the first time that another machine opens a shared store to the moment when it has all of it.
    case joinMilliseconds = "join_ms"
    /// Of saves while many changes of the store are made ready for others, and put into the folder.
    case foldingP99 = "folding_p99_us"
    /// Of saves while many changes of others come into the store.
    case importingP99 = "importing_p99_us"
    /// How long it takes to add a new store that is not shared.
    case openPlainP50 = "open_plain_us"
    /// How long it takes to add one whose container has nothing.
    case openEmptyP50 = "open_empty_us"
    /// How long it takes to add one whose container has all objects, and which has none yet.
    case openFull = "open_full_us"
    /// How long it takes to add one whose container cannot be reached.
    case openAwayP50 = "open_away_us"
    /// What one change alone takes in the folder that is shared.
    case changeBytes = "change_bytes"
    /// What a shared store keeps for other machines, for each object.
    case registerBytes = "register_bytes"
    /// The service's processor time for one save into a store that is not shared.
    case plainProcessorTime = "plain_cpu_us"
    /// The time for a save that is folded, and put into a folder of few objects.
    case processorTime = "cpu_us"
    /// That time after some hundreds of such saves.
    case lateProcessorTime = "late_cpu_us"
    /// Of saves while nothing else happens to the store.
    case aloneP99 = "alone_p99_us"
    case milliseconds = "ms"
    /// One save into a file of SQLite.
    case sqliteMilliseconds = "sqlite_ms"
    /// One save into memory.
    case memoryMilliseconds = "memory_ms"
    /// One save into a compact file that is written as a whole.
    case binaryMilliseconds = "binary_ms"
    /// One save into a file of XML.
    case xmlMilliseconds = "xml_ms"
    /// Into a file of SQLite.
    case sqliteObjectsPerSecond = "sqlite_objects_per_s"
    /// Into a compact file that is written as a whole.
    case binaryObjectsPerSecond = "binary_objects_per_s"
    /// Into a file of XML.
    case xmlObjectsPerSecond = "xml_objects_per_s"
    /// The time if values come along with the objects.
    case wholeMilliseconds = "whole_ms"
    case integerNanoseconds = "integer_ns"
    case doubleNanoseconds = "double_ns"
    /// Of at most 15 bytes.
    case textNanoseconds = "text_ns"
    case longTextNanoseconds = "long_text_ns"
    /// What the client's process has resident for an object whose values are not read.
    case faultBytes = "fault_bytes"
    /// What the client's process has resident for an object with values, the fault that it was included.
    case objectBytes = "object_bytes"
    /// Without the start of the client's own process.
    case insideMilliseconds = "inside_ms"
    case peakClientMegabytes = "peak_client_mb"
    case peakServiceMegabytes = "peak_service_mb"
    /// What an idle service holds.
    case serviceMegabytes = "service_mb"
    case processorTicks = "cpu_ticks"
    case contextSwitches = "context_switches"
    /// Saves that gave up because of a lock.
    case refusedSaves = "refused_saves"

    /// Whether a ratio to the bare socket pair says something.
    var isLatency: Bool {
        switch self {
        case .p50, .p99, .idleP50: true
        default: false
        }
    }
}

/// Times of calls, in nanoseconds.
struct Latencies {
    private(set) var samples: [UInt64] = []

    init(capacity: Int) { samples.reserveCapacity(capacity) }

    mutating func add(_ nanoseconds: UInt64) { samples.append(nanoseconds) }

    /// The time that so many of a hundred calls stay below, in microseconds; 0 if there was no call.
    func microseconds(percentile: Double) -> Double {
        let sorted = samples.sorted()
        if sorted.isEmpty { return 0 }
        let place = Int((percentile / 100 * Double(sorted.count)).rounded(.down))
        return Double(sorted[min(place, sorted.count - 1)]) / 1_000
    }
}

extension ParentLink {
    /// Reports the middle and the tail of `latencies`.
    func report(_ latencies: Latencies, withWorst: Bool = false) throws {
        try report(.p50, latencies.microseconds(percentile: 50))
        try report(.p99, latencies.microseconds(percentile: 99))
        if withWorst { try report(.worst, latencies.microseconds(percentile: 100)) }
    }
}
