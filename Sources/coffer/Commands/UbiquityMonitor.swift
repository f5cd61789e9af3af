import ArgumentParser
import Coffer
import CofferDBus
import CofferLinux
import FoundationEssentials

/// `coffer ubiquity monitor`: what shared stores and their containers are at, at a glance.
struct UbiquityMonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract:
            "Show shared stores with usage, status, what is carried and all objects of their containers.",
        discussion: """
            On a terminal it goes on until 'q' or Ctrl-C: 'n' and 'p' show the next and the former store, and the chart what goes and comes \
            each second. Else, and with --once, all is printed once. --html writes one page that needs no other file.

            Examples:
              coffer ubiquity monitor
              coffer ubiquity monitor --html shared.html
            """)

    @Flag(help: "Print once, on a terminal too.") var once = false
    @Option(
        help: ArgumentHelp("Write one HTML page instead; '-' is standard output.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?
    @OptionGroup var bus: BusOptions

    func validate() throws {
        if once, html != nil { throw ValidationError("--html writes once anyway.") }
    }

    func run() throws {
        try reporting {
            do {
                try show(MonitorReader(bus))
            } catch let error as DBusError {
                throw bus.error(error, starting: true)
            }
        }
    }

    private func show(_ reader: MonitorReader) throws {
        if let html { return try writePage(reader.panes(), to: html) }
        if !once, let columns = StandardOutput.columns, let keyboard = Keyboard() {
            return try follow(reader, keyboard, columns: columns)
        }
        let output = StandardOutput()
        let text = MonitorText(width: StandardOutput.columns ?? 160, height: nil)
        let panes = try reader.panes()
        if panes.isEmpty { try output.write("No store that is open is shared.") }
        for pane in panes { for line in text.lines(pane, nil) { try output.write(line) } }
        try output.flush()
    }

    private func writePage(_ panes: [MonitorPane], to path: String) throws {
        let page = Array(MonitorPage.html(panes, at: Date()).utf8)
        if path == "-" { return try StandardOutput().write(bytes: page) }
        do {
            try Data(page).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw ToolError(.cannotCreate, "The page cannot be written to '\(path)': \(error)")
        }
        StandardError.say("Wrote \(path)")
    }

    private func follow(_ reader: MonitorReader, _ keyboard: Keyboard, columns: Int) throws {
        let output = StandardOutput()
        var activity: [String: TransferActivity] = [:]
        var place = 0
        try output.write(bytes: Array("\u{1B}[?25l".utf8))
        // A terminal that is gone needs no cursor.
        defer { try? output.write(bytes: Array("\u{1B}[?25h\n".utf8)) }
        while true {
            let panes = try reader.panes()
            for pane in panes {
                let key = "\(pane.status.application)/\(pane.status.name)"
                activity[key, default: TransferActivity(limit: 240)].note(
                    sent: pane.status.sentByteCount, received: pane.status.receivedByteCount)
            }
            if !panes.indices.contains(place) { place = 0 }
            try draw(panes, showing: place, activity, on: output, columns: columns)
            switch keyboard.key(within: 1_000) {
            case "q", "Q": return
            case "n": place = panes.isEmpty ? 0 : (place + 1) % panes.count
            case "p": place = panes.isEmpty ? 0 : (place + panes.count - 1) % panes.count
            default: break
            }
        }
    }

    private func draw(
        _ panes: [MonitorPane], showing place: Int, _ activity: [String: TransferActivity],
        on output: StandardOutput, columns: Int
    ) throws {
        var screen = "\u{1B}[H\u{1B}[2J"
        if panes.indices.contains(place) {
            let pane = panes[place]
            let key = "\(pane.status.application)/\(pane.status.name)"
            let text = MonitorText(width: columns, height: StandardOutput.lines - 1)
            screen += text.lines(pane, activity[key]).joined(separator: "\r\n")
        } else {
            screen += "No store that is open is shared."
        }
        screen += "\r\n[\(panes.isEmpty ? 0 : place + 1)/\(panes.count)]  q: quit  n: next  p: previous"
        try output.write(bytes: Array(screen.utf8))
    }
}
