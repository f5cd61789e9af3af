import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores

extension WorkerJob {
    /// Opens the store, up to the first answer that needs its file.
    func timeOpening() throws {
        let start = Monotonic.now
        guard try open().contact(email: ContactGenerator.email(0)) != nil else {
            throw BenchError.wrongAnswer("no row has the first e-mail")
        }
        try link.report(.milliseconds, Double(Monotonic.now - start) / 1e6)
    }

    /// Inserts all contacts into a new store of each type and saves them at once; what opens the store does
    /// not count.
    func saveWhole() throws {
        let contacts = (0..<objectCount).map(ContactGenerator.contact)
        for (type, metric) in [
            (StoreType.sqlite, Metric.sqliteMilliseconds), (.memory, .memoryMilliseconds),
            (.binary, .binaryMilliseconds), (.xml, .xmlMilliseconds),
        ] {
            guard let client = try newStore(type) else { continue }
            let start = Monotonic.now
            try client.insert(contacts[...])
            try link.report(metric, Double(Monotonic.now - start) / 1e6)
        }
    }

    /// A client of a new store of a type; `nil` if the system has no such type.
    private func newStore(_ type: StoreType) throws -> (any ContactClient)? {
        switch (system, type) {
        case (.sqlite, .memory): return try SQLiteClient(path: ":memory:")
        case (.sqlite, .sqlite): return try open()
        case (.sqlite, _): return nil
        default:
            let place = StorePlace(place: place.place, store: "\(place.store)-\(type.rawValue)")
            return try ContextClient(try system.contactContainer(place, type: type))
        }
    }

    /// Writes all rows as JSON to `/dev/null`: by the shell of SQLite, or as `coffer dump` does.
    func dump() throws {
        let nowhere = try OwnedDescriptor(opening: "/dev/null", [.writeOnly])
        let start = Monotonic.now
        if system == .sqlite {
            let query = "SELECT \(SQLiteClient.columns) FROM ZCONTACT"
            let shell = try ChildProcess(
                "/usr/bin/sqlite3", arguments: ["-readonly", "-json", filePath, query],
                output: .file(nowhere))
            guard try shell.waitForExit() == .code(0) else {
                throw BenchError.wrongAnswer("the shell of SQLite failed")
            }
        } else {
            let dump = try StoreDump.open(path: filePath, format: .json)
            var bytes: [UInt8] = []
            while try dump.writeNext(to: &bytes) {
                try nowhere.writeAll(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            try nowhere.writeAll(bytes)
            guard dump.objectCount == objectCount else {
                throw BenchError.wrongAnswer("\(dump.objectCount) objects of \(objectCount) were written")
            }
        }
        let seconds = Double(Monotonic.now - start) / 1e9
        try link.report(.objectsPerSecond, Double(objectCount) / seconds)
    }

    /// Takes the store to a new file of each type, history and all, as an application would that goes on with
    /// that; SQLite copies its file.
    func retype() throws {
        let name = "coffer-bench-\(CurrentProcess.id)"
        let folder = try Folder.make(at: "\(place.place)/\(name)")
        // What stays is in a place for temporary files.
        defer { try? Folder(at: place.place).removeAll(name) }
        for (type, metric) in [
            (StoreType.sqlite, Metric.sqliteObjectsPerSecond), (.binary, .binaryObjectsPerSecond),
            (.xml, .xmlObjectsPerSecond),
        ] {
            let path = folder.path(of: "new\(type.fileSuffix)")
            if system == .sqlite, type != .sqlite { continue }
            let start = Monotonic.now
            let count = system == .sqlite ? try copyFile(to: path) : try move(to: path, type)
            let seconds = Double(Monotonic.now - start) / 1e9
            guard count == objectCount else {
                throw BenchError.wrongAnswer("\(count) objects of \(objectCount) came along")
            }
            try link.report(metric, Double(count) / seconds)
        }
    }

    private func move(to path: String, _ type: StoreType) throws -> Int {
        let container = try system.contactContainer(place)
        try container.loadStores()
        return try container.migratePersistentStore(named: place.store, to: path, type: type).objectCount
    }

    private func copyFile(to path: String) throws -> Int {
        try SQLiteConnection(path: filePath).vacuum(into: path)
        return objectCount
    }

    /// Says `ready`, then copies the store from one moment to another that `go` names, again and again, and
    /// tells how long a copy took.
    func backUp() throws {
        try withTemporaryCopy { copy in
            let end = try beginTogether().end
            var latencies = Latencies(capacity: 1_000)
            while case let start = Monotonic.now, start < end {
                try copy()
                latencies.add(Monotonic.now - start)
            }
            try link.report(.milliseconds, latencies.microseconds(percentile: 50) / 1_000)
        }
    }

    /// Lends what makes a copy in a file that gives way to the next.
    private func withTemporaryCopy(_ body: (_ copy: () throws -> Void) throws -> Void) throws {
        let folder = try Folder.make(at: "/var/tmp/coffer-bench-\(CurrentProcess.id)")
        // As above.
        defer { try? Folder(at: "/var/tmp").removeAll("coffer-bench-\(CurrentProcess.id)") }
        let path = folder.path(of: "copy.sqlite")
        if system == .sqlite {
            let connection = try SQLiteConnection(path: filePath)
            try connection.setBusyTimeout(milliseconds: 5_000)
            try body {
                try folder.unlink("copy.sqlite")
                try connection.vacuum(into: path)
            }
        } else {
            let connection = try ServiceConnection(
                application: ContactModel.application, bus: .explicit(place.place))
            try body {
                _ = try connection.backUpStore(named: place.store, toFileAt: path, replacing: true)
            }
        }
    }
}
