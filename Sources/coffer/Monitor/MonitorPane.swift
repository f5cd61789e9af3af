import Coffer
import FoundationEssentials

/// What `coffer ubiquity monitor` shows of one store, as it is at one moment.
struct MonitorPane {
    /// What is known of how far the store is.
    let status: UbiquitousStoreStatus
    /// The folder of its container; `nil` if no account is signed in.
    let folder: String?
    /// The objects of its container, the newest first.
    let objects: [MonitorObject]
    /// How much of the file system is free; `nil` if it cannot be asked.
    let free: UInt64?
    /// When it was looked at.
    let time: Date

    /// Bytes of all objects.
    var usage: UInt64 { objects.reduce(0) { $0 + ($1.byteCount ?? 0) } }

    /// A word for how far it is.
    var summary: String {
        if status.condition != "there" { return status.condition }
        if status.exportedNumber < status.savedNumber { return "exporting" }
        return objects.contains { $0.state == "unread" } ? "importing" : "up to date"
    }

    /// What is shown of it, by name.
    var facts: [(name: String, value: String)] {
        [
            ("Status", summary), ("Container", folder ?? "no account is signed in"),
            ("Usage", usageText), ("Objects shown", "\(status.objectCount)"),
            ("Saved", "transaction \(status.savedNumber)"),
            ("Folded", "up to \(status.foldedNumber)"), ("Exported", "up to \(status.exportedNumber)"),
            ("Seen by", seenText),
            ("Sent, received", "\(Self.size(status.sentByteCount)), \(Self.size(status.receivedByteCount))"),
        ]
    }

    private var usageText: String {
        "\(Self.size(usage)) in \(objects.count) objects"
            + (free.map { ", with \(Self.size($0)) free on the disk" } ?? "")
    }

    private var seenText: String {
        if status.peers.isEmpty { return "no other machine is known" }
        return status.peers.map { "\($0.peer) up to \($0.seenNumber)" }.joined(separator: ", ")
    }

    /// A number of bytes, for people.
    static func size(_ byteCount: UInt64) -> String {
        if byteCount < 1_000 { return "\(byteCount) B" }
        var (amount, unit) = (Double(byteCount) / 1_000, 0)
        let units = ["kB", "MB", "GB", "TB", "PB"]
        while amount >= 999.5, unit < units.count - 1 { (amount, unit) = (amount / 1_000, unit + 1) }
        let tenths = Int((amount * 10).rounded())
        return "\(tenths / 10)\(amount < 10 ? ".\(tenths % 10)" : "") \(units[unit])"
    }
}

/// One object of a container.
struct MonitorObject {
    let name: String
    let kind: String
    /// What became of it here.
    let state: String
    /// Of its file; `nil` if that is not there.
    let byteCount: UInt64?
    let modified: Date?
}

/// How many bytes went and came in steps of time, the oldest first.
struct TransferActivity {
    private(set) var sent: [UInt64] = []
    private(set) var received: [UInt64] = []
    private var last: (sent: UInt64, received: UInt64)?
    private let limit: Int

    /// Remembers so many steps at most.
    init(limit: Int) { self.limit = limit }

    /// Notes what the counters say at the end of a step.
    mutating func note(sent: UInt64, received: UInt64) {
        if let last {
            // A service that was started again counts from 0.
            self.sent.append(sent >= last.sent ? sent - last.sent : sent)
            self.received.append(received >= last.received ? received - last.received : received)
        }
        last = (sent, received)
        if self.sent.count > limit {
            self.sent.removeFirst()
            self.received.removeFirst()
        }
    }

    /// The bytes of objects by when they came, in so many equal steps up to a time.
    ///
    /// - Parameters:
    ///   - objects: The objects.
    ///   - steps: How many steps.
    ///   - end: The end of the last one.
    /// - Returns: The bytes of each step, and how many seconds each has.
    static func arrivals(
        _ objects: [MonitorObject], steps: Int, upTo end: Date
    ) -> (byteCounts: [UInt64], seconds: Double) {
        let times = objects.compactMap(\.modified).map { end.timeIntervalSince($0) }.filter { $0 >= 0 }
        let span = max(times.max() ?? 0, 60)
        let seconds = span / Double(steps) * 1.0001
        var byteCounts = [UInt64](repeating: 0, count: steps)
        for object in objects {
            guard let time = object.modified, let byteCount = object.byteCount else { continue }
            let age = end.timeIntervalSince(time)
            let step = steps - 1 - Int(age / seconds)
            if age >= 0, byteCounts.indices.contains(step) { byteCounts[step] += byteCount }
        }
        return (byteCounts, seconds)
    }
}
