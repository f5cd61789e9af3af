import CofferStores
import Logging

extension SQLDebug {
    /// Logs what stores run; at `notice`, so that asking for it is enough to see it.
    convenience init(level: Int, logger: Logger) {
        self.init(level: level) { entry in logger.notice("Ran SQL", metadata: entry.metadata) }
    }
}

extension SQLDebugEntry {
    /// What a line of the log says of it; values that say nothing are left out.
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "store.path": "\(path)", "sql": "\(sql)", "sql.milliseconds": "\(milliseconds)",
            "sql.rows": "\(rows)",
        ]
        if changes > 0 { metadata["sql.changed"] = "\(changes)" }
        if runs > 1 { metadata["sql.runs"] = "\(runs)" }
        if !plan.isEmpty { metadata["sql.plan"] = "\(plan.joined(separator: "; "))" }
        return metadata
    }
}
