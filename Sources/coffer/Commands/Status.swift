import ArgumentParser
import CofferDBus

/// `coffer status`: what the service does now.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Show the service, the stores that it has open, its clients and accounts, as it tells them over D-Bus.",
        discussion: """
            The service is not started for it: if it does not run, the exit code is 69. As JSON, one object for the \
            service, for each store, client and account; as CSV, one line a property.

            Example: coffer status --json | jq 'select(.kind == "store") | .Transactions'
            """)

    @OptionGroup var bus: BusOptions
    @Flag(help: "Start the service if it does not run.") var start = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let status: ServiceStatus
            do throws(DBusError) {
                status = try ServiceStatus(over: bus.busAddress, starting: start)
            } catch {
                throw bus.error(error, starting: start)
            }
            let kinds = [
                ("service", [status.service]), ("store", status.stores), ("client", status.clients),
                ("account", status.accounts),
            ]
            switch output.chosen ?? .table {
            case .json: try printObjects(kinds)
            case .csv: try printLines(kinds)
            case .table: try printTables(kinds)
            }
        }
    }

    private func printObjects(_ kinds: [(String, [ServiceStatus.Part])]) throws {
        for (kind, parts) in kinds {
            for part in parts {
                let printer = output.printer(["kind", "path"] + part.properties.map(\.name))
                try printer.print([.text(kind), .text(part.path)] + part.properties.map(\.value))
                try printer.finish()
            }
        }
    }

    private func printLines(_ kinds: [(String, [ServiceStatus.Part])]) throws {
        let printer = output.printer(["kind", "path", "property", "value"])
        for (kind, parts) in kinds {
            for part in parts {
                for (name, value) in part.properties {
                    try printer.print([.text(kind), .text(part.path), .text(name), value])
                }
            }
        }
        try printer.finish()
    }

    private func printTables(_ kinds: [(String, [ServiceStatus.Part])]) throws {
        let columns = [
            "service": ["Version", "Protocol", "LogLevel", "Clients", "Stores"],
            "store": [
                "Application", "Name", "Transactions", "Clients", "RoundTrips", "Fetches", "Faults",
                "CacheHits", "CacheMisses",
                "Saves", "FileSize", "LogSize",
            ],
            "client": [
                "ProcessName", "ProcessID", "Application", "Plane", "Contexts", "RoundTrips", "Fetches",
                "Faults",
                "CacheHits", "CacheMisses", "Saves", "PendingCalls", "QueueDepth",
            ],
            "account": ["Name", "SignedIn", "Path"],
        ]
        for (kind, parts) in kinds where !parts.isEmpty {
            let names = columns[kind] ?? []
            let printer = TablePrinter([kind] + names)
            for part in parts {
                let label = part.path.split(separator: "/").last.map { String($0) } ?? part.path
                let values = names.map { name in part.properties.first { $0.name == name }?.value ?? .null }
                try printer.print([.text(label)] + values)
            }
            try printer.finish()
        }
    }
}
