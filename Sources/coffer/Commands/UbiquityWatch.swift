import ArgumentParser
import Coffer
import CofferDBus
import CofferLinux

/// `coffer ubiquity watch`: how far shared stores are, as that changes.
struct UbiquityWatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print how far shared stores are whenever that changes, until interrupted.",
        discussion: """
            A line whenever something of a store changes. While it joins for the first time, 'unread' of 'listed' files are still to \
            be read, and 'objects' counts those that are there already.

            Example: coffer ubiquity watch --json | jq -r '.name, .unread'
            """)

    private static let interface = ServiceStatus.name + ".UbiquitousStore"
    private static let counts = [
        "Objects", "Imported", "Unread", "Listed", "Exported", "Unexported", "Waiting", "Quarantined",
    ]

    @Option(parsing: .unconditional, help: "End after this many lines.") var count: Int?
    @OptionGroup var bus: BusOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            do {
                try watch()
            } catch let error as DBusError {
                throw bus.error(error, starting: true)
            }
        }
    }

    private func watch() throws {
        let client = try DBusClient(to: bus.busAddress)
        // A client that asks for the objects is told of changes from then on.
        let tree = try client.call(
            ServiceStatus.name, path: ServiceStatus.path, interface: "org.freedesktop.DBus.ObjectManager",
            member: "GetManagedObjects")
        StandardError.say("Watching shared stores")
        let printer = output.printer(
            ["name", "condition"] + Self.counts.map { $0.lowercased() } + ["error"], standard: .json)
        var rest = count ?? .max
        let show = { (path: String, properties: [String: DBusValue]) in
            if rest == 0 { return }
            rest -= 1
            try printer.print(Self.row(path, properties))
            try printer.flush()
        }
        for object in tree.body.first?.entries ?? [] {
            for entry in object.value.entries ?? [] where entry.key.stringValue == Self.interface {
                try show(object.key.objectPathValue ?? "", entry.value.propertyValues ?? [:])
            }
        }
        while rest > 0 {
            guard let signal = try client.nextSignal(timeoutMilliseconds: 3_600_000),
                let path = signal.path
            else { continue }
            if signal.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged"),
                try signal.argument(0, \.stringValue) == Self.interface
            {
                try show(path, signal.argument(1, \.propertyValues))
            } else if signal.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded") {
                let path = try signal.argument(0, \.objectPathValue)
                for entry in try signal.argument(1, \.entries) where entry.key.stringValue == Self.interface {
                    try show(path, entry.value.propertyValues ?? [:])
                }
            }
        }
        try printer.finish()
    }

    private static func row(_ path: String, _ properties: [String: DBusValue]) -> [OutputValue] {
        let texts = { (name: String) in OutputValue.text(properties[name]?.stringValue ?? "") }
        return [.text(String(path.split(separator: "/").last ?? "")), texts("Condition")]
            + counts.map { .integer(properties[$0]?.uint64Value ?? 0) } + [texts("LastError")]
    }
}
