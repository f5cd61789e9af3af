import CofferDBus
import CofferLinux

/// What may differ between two runs, made alike: paths and users as README.md shows them, all else as signs.
enum OutputMask {
    /// A line as README.md shows it: no folder, user or white space of the machine that ran the command.
    static func shown(_ line: String, busPath: String) -> String {
        let user = DBusPath.path("/stores", String(CurrentProcess.userID))
        var line = line.replacing(user, with: DBusPath.path("/stores", "1000"))
        // Several slashes at a path's beginning mean one.
        if let match = line.firstMatch(of: #/(.*?["\h])(file:\/\/)?\/+(\S+?)\/data\/(\S*)(.*)/#),
            busPath.hasSuffix(match.3)
        {
            let path = "\(match.2 ?? "")/home/anna/.local/share/\(match.4)"
            let width = line.count - match.1.count - match.5.count
            let filler = match.5.isEmpty ? 0 : max(0, width - path.count)
            line = match.1 + path + String(repeating: " ", count: filler) + match.5
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// A line without what differs from run to run: long numbers, ids, days and the width of columns.
    static func masked(_ line: String) -> String {
        line.replacing(#/[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}/#, with: "UUID")
            .replacing(#/[0-9a-f]{64}/#, with: "SHA")
            .replacing(#/:1\.[0-9]+/#, with: "NAME")
            .replacing(#/(Mon|Tue|Wed|Thu|Fri|Sat|Sun) /#, with: "DAY ")
            .replacing(#/[Cc]ookie=[0-9]+/#, with: "COOKIE")
            .replacing(#/clients/[0-9]+/#, with: "clients/N")
            .replacing(#/[0-9]{2,}(\.[0-9]+)?/#, with: "N")
            .replacing(#/ +/#, with: " ")
    }
}
