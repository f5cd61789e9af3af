import CofferModel
import CofferStores
import FoundationEssentials

extension StoreInspection {
    /// All of it, for programs.
    var fields: [(name: String, value: OutputValue)] {
        [
            ("storeType", .text(storeType)), ("uuid", uuid.map { .text($0.uuidString) } ?? .null),
            ("frameworkVersion", frameworkVersion.map { .integer($0) } ?? .null),
            ("versionIdentifiers", .texts(versionIdentifiers)), ("madeByCoffer", .boolean(isOwn)),
            ("modelSource", .text(modelSource.rawValue)), ("entities", .list(entities.map(\.record))),
            ("history", history?.record ?? .null), ("sizes", sizes.record), ("health", health.record),
        ]
    }

    /// What a person wants to know of it besides its entities.
    var lines: [(String, String)] {
        var lines = [
            ("type", storeType), ("uuid", uuid?.uuidString ?? "not known"),
            ("written by", isOwn ? "Coffer" : "Core Data" + (frameworkVersion.map { " \($0)" } ?? "")),
            ("model", modelSource.text),
            (
                "size",
                "\(sizes.file) bytes" + (sizes.pages > 0 ? ", \(sizes.pages) pages of \(sizes.page)" : "")
            ),
        ]
        if sizes.freePages > 0 { lines.append(("free", "\(sizes.freePages) pages")) }
        if let log = sizes.log {
            lines.append(("log", "\(log) bytes beside it (-wal)"))
        } else if health.journalMode == "wal" {
            lines.append(("log", "none; if it was copied without its -wal, its last changes are missing"))
        }
        if sizes.externalFiles > 0 {
            lines.append(("large values", "\(sizes.externalFiles) files, \(sizes.external) bytes"))
        }
        if let history {
            var text = "\(history.transactions) transactions, \(history.changes) changes"
            if let first = history.first, let last = history.last {
                text += ", from \(Self.text(ofDate: first)) to \(Self.text(ofDate: last))"
            }
            lines.append(("history", text))
        } else {
            lines.append(("history", "none"))
        }
        return lines + health.lines
    }

    /// A date of a store as text.
    fileprivate static func text(ofDate seconds: Double) -> String {
        DateText.text(of: Date(timeIntervalSinceReferenceDate: seconds))
    }
}

extension StoreInspection.ModelSource {
    /// For people.
    fileprivate var text: String {
        switch self {
        case .store: "kept by Coffer in the file"
        case .cache: "kept by Core Data in the file"
        case .given: "the one given with --model"
        case .guessed: "guessed from what it has: name it with --model"
        case .none: "not known: name it with --model"
        }
    }
}

extension StoreInspection.Entity {
    fileprivate var record: OutputValue {
        .record([
            ("name", .text(name)), ("rows", rows.map { .integer($0) } ?? .null),
            ("parent", parent.map { .text($0) } ?? .null), ("abstract", .boolean(isAbstract)),
            (
                "attributes",
                .list(
                    attributes.map {
                        .record([
                            ("name", .text($0.name)), ("type", .text($0.type)),
                            ("optional", .boolean($0.isOptional)),
                        ])
                    })
            ),
            (
                "relationships",
                .list(
                    relationships.map {
                        .record([
                            ("name", .text($0.name)), ("destination", .text($0.destination)),
                            ("inverse", $0.inverse.map { .text($0) } ?? .null),
                            ("toMany", .boolean($0.isToMany)), ("ordered", .boolean($0.isOrdered)),
                        ])
                    })
            ),
        ])
    }
}

extension StoreInspection.History {
    fileprivate var record: OutputValue {
        func date(_ seconds: Double?) -> OutputValue {
            seconds.map { .text(StoreInspection.text(ofDate: $0)) } ?? .null
        }
        return .record([
            ("transactions", .integer(transactions)), ("changes", .integer(changes)),
            ("lastNumber", .integer(lastNumber)), ("first", date(first)), ("last", date(last)),
        ])
    }
}

extension StoreInspection.Sizes {
    fileprivate var record: OutputValue {
        .record([
            ("file", .integer(file)), ("log", log.map { .integer($0) } ?? .null), ("page", .integer(page)),
            ("pages", .integer(pages)), ("freePages", .integer(freePages)),
            ("externalFiles", .integer(externalFiles)), ("external", .integer(external)),
        ])
    }
}

extension StoreInspection.Health {
    fileprivate var record: OutputValue {
        .record([
            ("well", .boolean(isWell)), ("integrity", integrity.map { .texts($0) } ?? .null),
            ("journalMode", journalMode.map { .text($0) } ?? .null), ("missingFiles", .texts(missingFiles)),
            ("missingFileCount", .integer(missingFileCount)), ("unknownTables", .texts(unknownTables)),
            ("unknownTriggers", .texts(unknownTriggers)), ("problems", .texts(problems)),
            ("writing", writing.record),
        ])
    }

    /// For people: what there is to say.
    fileprivate var lines: [(String, String)] {
        var lines: [(String, String)] = []
        switch integrity {
        case nil: lines.append(("integrity", "not checked"))
        case []?: lines.append(("integrity", "all pages are well"))
        case let found?: lines += found.map { ("integrity", $0) }
        }
        lines += missingFiles.map { ("missing file", $0) }
        if missingFileCount > missingFiles.count {
            lines.append(("missing file", "and \(missingFileCount - missingFiles.count) more"))
        }
        lines += unknownTables.map { ("unknown table", $0) }
        lines += unknownTriggers.map { ("unknown trigger", $0) }
        lines += problems.map { ("problem", $0) }
        lines.append(("writing", writing.text))
        return lines
    }
}

extension StoreInspection.Writing {
    fileprivate var record: OutputValue {
        switch self {
        case .ready: .record([("state", .text("ready"))])
        case .adoption(let additions):
            .record([("state", .text("needs adoption")), ("additions", .texts(additions))])
        case .refused(let reason): .record([("state", .text("refused")), ("reason", .text(reason))])
        case .unknown: .record([("state", .text("unknown"))])
        }
    }

    /// For people.
    fileprivate var text: String {
        switch self {
        case .ready: "ready"
        case .adoption(let additions): "with --adopt it gets: \(additions.joined(separator: "; "))"
        case .refused(let reason): "refused: \(reason)"
        case .unknown: "not known"
        }
    }
}
