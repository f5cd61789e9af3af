import CofferLinux

/// What was measured on, as far as it tells.
enum MachineFacts {
    /// The facts, one a line.
    static func lines(folder: String) -> [String] {
        let version = text("sys/kernel/osrelease") ?? "unknown"
        let load = text("loadavg")?.split(separator: " ").first ?? "unknown"
        let model = value(of: "model name", in: text("cpuinfo") ?? "") ?? "unknown"
        return [
            "Processor: \(model), \(Processors.available) for this process",
            "Load: \(load) in the last minute, the measured processes included", "Kernel: \(version)",
            "File system of \(folder): \(fileSystem(of: folder) ?? "unknown")", "",
        ]
    }

    /// The type of the mount that `folder` lies on: the longest mount point that is a beginning of it.
    private static func fileSystem(of folder: String) -> String? {
        let mounts = (text("\(CurrentProcess.id)/mounts") ?? "").split(separator: "\n").map {
            $0.split(separator: " ")
        }
        let above = mounts.filter { fields in
            guard fields.count > 2 else { return false }
            let point = fields[1]
            return point == "/" || folder == point || folder.hasPrefix(point + "/")
        }
        return above.max { $0[1].count < $1[1].count }.map { String($0[2]) }
    }

    private static func value(of name: String, in text: String) -> String? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let line, let colon = line.firstIndex(of: ":") else { return nil }
        return String(line[line.index(after: colon)...].drop { $0 == " " })
    }

    private static func text(_ path: String) -> String? {
        // What cannot be read is not told.
        guard let bytes = try? Folder(at: "/proc").read(path, limit: 1 << 20) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
