internal import CofferLinux
internal import CofferModel
package import CofferWire

extension StoreError {
    /// The status code that travels, and so the end of the D-Bus error's name.
    package var status: StatusCode { facts.status }

    /// A word for programs.
    package var reason: String { facts.reason }

    /// What travels of it; the path is named only as the store's own text names it.
    package var detail: ErrorDetailMessage {
        let facts = facts
        return ErrorDetailMessage(
            code: facts.status, reason: facts.reason, text: publicText, place: facts.place)
    }

    /// What a caller is told: of what is our own mistake, nothing that only we understand.
    private var publicText: String {
        guard case .other = self else { return description }
        return
            "Something failed inside, which is a mistake of Coffer's and not of the caller's; the log of the service says what."
    }

    /// The one place where errors of a store become status codes.
    private var facts: (status: StatusCode, reason: String, place: String) {
        switch self {
        case .unknownEntity(let name): (.invalidArgument, "unknown_entity", name)
        case .unknownProperty(let entity, let property):
            (.invalidArgument, "unknown_property", "\(entity).\(property)")
        case .unknownConfiguration(let name): (.invalidArgument, "unknown_configuration", name)
        case .wrongType(let entity, let property, _):
            (.invalidArgument, "wrong_type", "\(entity).\(property)")
        case .unknownObject(let entity, let key): (.notFound, "unknown_object", "\(entity)/p\(key)")
        case .unreservedKeys(let entity, let key, _):
            (.failedPrecondition, "unreserved_keys", "\(entity)/p\(key)")
        case .unsupported(let entity, let property, _):
            (.unimplemented, "unsupported_property", "\(entity).\(property)")
        case .requestUsed: (.alreadyExists, "request_used", "")
        case .malformedRequest: (.invalidArgument, "malformed_request", "")
        case .damaged(let path, _): (.dataLoss, "damaged", path)
        case .full(let path): (.resourceExhausted, "disk_full", path)
        case .busy(let path): (.unavailable, "busy", path)
        case .readOnly(let path): (.failedPrecondition, "read_only", path)
        case .notAdopted(let path, _): (.failedPrecondition, "not_adopted", path)
        case .unadoptable(let path, _): (.failedPrecondition, "unadoptable", path)
        case .unknownHistory(let path): (.unimplemented, "unknown_history", path)
        case .unfinishedWrite(let path): (.failedPrecondition, "unfinished_write", path)
        case .unknownSQL(let path, _): (.failedPrecondition, "unknown_sql", path)
        case .foreignSQLTooSlow(let path, _): (.deadlineExceeded, "foreign_sql_too_slow", path)
        case .takenBack(let path, _, _): (.failedPrecondition, "taken_back", path)
        case .incompatible: (.failedPrecondition, "incompatible_model", "")
        case .unmigratable(let path, _): (.failedPrecondition, "unmigratable", path)
        case .unknownModel(let path): (.failedPrecondition, "unknown_model", path)
        case .notFound(let path): (.notFound, "no_store", path)
        case .otherType(let path, _): (.failedPrecondition, "other_type", path)
        case .notAStore(let path, _): (.failedPrecondition, "not_a_store", path)
        case .fileGone(let path, _): (.failedPrecondition, "file_gone", path)
        case .moved(let path): (.aborted, ErrorDetailMessage.storeExchanged, path)
        case .strangeCompanion(let path): (.failedPrecondition, "strange_companion", path)
        case .lockedByOther(let path, _): (.unavailable, "locked", path)
        case .alreadyExists(let path): (.alreadyExists, "already_exists", path)
        case .unfitTarget(let path, _): (.failedPrecondition, "unfit_target", path)
        case .copyUnderWay(let path): (.aborted, "copy_under_way", path)
        case .predicate: (.invalidArgument, "predicate", "")
        case .notInStore(let part, _): (.invalidArgument, "not_in_store", part)
        case .tooLarge: (.resourceExhausted, "too_large", "")
        case .pragmaRefused(let name): (.invalidArgument, "pragma_refused", name)
        case .io(let path, _): (.internal, "io", path)
        case .interrupted: (.cancelled, "interrupted", "")
        case .generationExpired: (.failedPrecondition, "generation_expired", "")
        case .tooManyGenerations: (.resourceExhausted, "too_many_generations", "")
        case .noGenerations(let path): (.failedPrecondition, "no_generations", path)
        case .sharedFileSystem(let path, _): (.failedPrecondition, "shared_file_system", path)
        case .noLocks(let path): (.failedPrecondition, "no_locks", path)
        case .unfitMetadata(let key, _): (.invalidArgument, "unfit_metadata", key)
        case .metadataConflict(let key): (.aborted, "metadata_conflict", key)
        case .outOfMemory: (.resourceExhausted, "out_of_memory", "")
        case .outOfDescriptors: (.resourceExhausted, "out_of_descriptors", "")
        case .missing(let path): (.notFound, "no_file", path)
        case .noAccess(let path): (.permissionDenied, "no_access", path)
        case .unfitDescriptor: (.invalidArgument, "unfit_descriptor", "")
        case .unfitModel: (.invalidArgument, "unfit_model", "")
        case .unshareable(let path, _): (.failedPrecondition, "unshareable", path)
        case .other: (.internal, "internal", "")
        }
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownEntity(let name): "There is no entity '\(name)' in this store."
        case .unknownProperty(let entity, let property):
            "'\(entity)' has no property '\(property)' that can be used so."
        case .unknownConfiguration(let name): "The model has no configuration '\(name)'."
        case .wrongType(let entity, let property, let detail):
            "A value does not fit '\(entity).\(property)': \(detail)."
        case .unknownObject(let entity, let key): "There is no '\(entity)' with the key \(key)."
        case .unreservedKeys(let entity, let key, let count):
            "The \(count) keys of '\(entity)' from \(key) on were not reserved for new objects, or are taken."
        case .unsupported(let entity, let property, let detail):
            "'\(entity).\(property)' cannot be stored: \(detail)."
        case .requestUsed(let sequence):
            "A save of this client had the number \(sequence) before, and nothing was written now: give each save a number of its own, or set "
                + "'is_retry' if the same save is sent again."
        case .malformedRequest(let detail): "The request contradicts itself: \(detail)."
        case .damaged("", let detail): "That file is damaged: \(detail). Nothing was changed."
        case .damaged(let path, let detail): "'\(path)' is damaged: \(detail). Restore it."
        case .full(let path): "No space is left for '\(path)'."
        case .busy(let path): "'\(path)' was locked by another process for too long."
        case .readOnly(let path): "'\(path)' can only be read."
        case .notAdopted("", _):
            "Coffer did not make that file, which cannot take a store's place before it has what Coffer needs: "
                + "write into it once with '--embedded --adopt'."
        case .notAdopted(let path, let additions):
            "Coffer did not make '\(path)'. To write into it, it adds to the file \(Self.sentence(additions)); what is there stays, and "
                + "other programs still read it. Nothing was changed. Agree with '--adopt' ('--copy-first' makes a copy before), "
                + "in programs with 'adopts' of a StoreDescription."
        case .unadoptable("", let detail):
            "Coffer did not make that file, and cannot keep it right, so it cannot take a store's place: \(detail)."
        case .unadoptable(let path, let detail):
            "Coffer did not make '\(path)', and cannot keep it right when it writes: \(detail). It can be read, and copied with "
                + "'coffer store backup'. Nothing was changed."
        case .unknownHistory(let path):
            "The history of '\(path)' has other columns than Core Data gives it, and is not read; its objects are."
        case .unfinishedWrite(let path):
            "Another program was stopped while it wrote into '\(path)', which can be read once that is undone: open it with that program, or "
                + "for writing (with '--adopt' if Coffer did not make it)."
        case .unknownSQL("", let item):
            "That file cannot take a store's place: its \(item) is neither Coffer's nor Core Data's, and may run without end. "
                + "Remove it from the file, then try again."
        case .unknownSQL(let path, let item):
            "'\(path)' can only be read: its \(item) is neither Coffer's nor Core Data's, and may run without end. "
                + "Remove it with another tool, or put the data into a new store."
        case .foreignSQLTooSlow(let path, let limit):
            "The SQL in the schema of '\(path)' took longer than \(limit.components.seconds) s, and was stopped: "
                + "remove its triggers, or save less at a time."
        case .takenBack(let path, let entity, let key):
            "A trigger in the schema of '\(path)' deletes '\(entity)/p\(key)' as soon as it is written, so nothing was saved: "
                + "remove the trigger with another tool, or do not save such an object."
        case .incompatible(let differing, let missing, let unknown, let changes):
            "The store was made with another model: "
                + [
                    ("entities differ", differing), ("not in the store", missing),
                    ("not in the model", unknown),
                ]
                .filter { !$0.1.isEmpty }.map { "\($0.0): \(Self.list($0.1))" }.joined(separator: "; ")
                + (changes.isEmpty ? "." : ". " + Self.list(changes, separator: "; ") + ".")
        case .unmigratable(let path, let obstacles):
            "'\(path)' cannot be migrated: \(Self.list(obstacles.map(\.description), separator: " ")) Nothing was changed."
        case .unknownModel(""): "That file keeps no model, and the store is not open with one."
        case .unknownModel(let path):
            "'\(path)' keeps no model: open it with one; without, it can only be read, by one that its tables tell."
        case .notFound(let path): "There is no store at '\(path)'."
        case .otherType(let path, let type):
            "The store '\(path)' is of the type '\(type.rawValue)': open it without naming another, or choose another name."
        case .notAStore("", let detail): "That file is not a store: \(detail). Nothing was changed."
        case .notAStore(let path, let detail): "'\(path)' is not a store: \(detail). It was left as it is."
        case .fileGone(let path, isLog: false):
            "'\(path)' was deleted, moved or replaced while it was open, so the save is not kept: open the store again."
        case .fileGone(let path, isLog: true):
            "The log '\(path)' was deleted, moved or replaced while its store was open, so it is not known whether the save is kept: "
                + "open the store again."
        case .moved(let path):
            "The objects of '\(path)' are in another file now, under other ids: fetch again."
        case .strangeCompanion(let path):
            "'\(path)' has the name of a file of the store, and is not a regular file: move it away."
        case .lockedByOther(let path, CurrentProcess.id):
            "'\(path)' is open in this process already: close it there first."
        case .lockedByOther(let path, let pid?): "'\(path)' is owned by process \(pid)."
        case .lockedByOther(let path, nil): "'\(path)' is owned by another process."
        case .alreadyExists(let path):
            "'\(path)' exists already: choose another name, or have it replaced ('--force')."
        case .unfitTarget(let path, let detail): "No copy can be put at '\(path)': \(detail)."
        case .copyUnderWay(let path): "'\(path)' is being copied already: wait for that."
        case .notInStore(let part, let reason): "A store cannot answer '\(part)': \(reason)."
        case .predicate(let text): text
        case .tooLarge(let what): "Too large: \(what)."
        case .pragmaRefused(let name): "The option '\(name)' may not be set, or not to that value."
        case .io(let path, let detail): "The file system failed at '\(path)': \(detail)."
        case .interrupted: "It was stopped."
        case .generationExpired: "The pinned state of the store is not kept any more: pin the present one."
        case .tooManyGenerations(let limit): "\(limit) states of the store are pinned already: release one."
        case .noGenerations(let path):
            "No state of '\(path)' can be pinned: it is open without a log ('journal_mode=DELETE'), so that saves would wait for it."
        case .sharedFileSystem(let path, let name):
            "'\(path)' is on a file system where a log can be damaged (\(name)): open it without 'journal_mode=WAL'."
        case .noLocks(let path):
            "The file system of '\(path)' has no locks, so that two could write at once: move the store to another, or open it for reading."
        case .unfitMetadata(let key, let detail): "'\(key)' cannot be set in the metadata: \(detail)."
        case .metadataConflict(let key):
            "'\(key)' of the store's metadata was changed meanwhile, and nothing was saved: set it again, give it up, or save with "
                + "another merge policy."
        case .outOfMemory: "There is no memory left: close what is not needed, then try again."
        case .outOfDescriptors: "No descriptors are left to open files with: close stores, then try again."
        case .missing(let path): "There is no '\(path)'."
        case .noAccess(let path):
            "'\(path)' may not be used by the service: give it the right to read and write there."
        case .unfitDescriptor:
            "A descriptor that came along cannot be used so: open it for reading, or for writing if it is written to."
        case .unfitModel(let detail): "The model cannot be stored: \(detail)."
        case .unshareable(let path, let detail): "'\(path)' cannot be shared any more: \(detail)."
        case .other(let text): text
        }
    }

    /// All of them, as a sentence has them.
    private static func sentence(_ phrases: [String]) -> String {
        guard let last = phrases.last, phrases.count > 1 else { return phrases.first ?? "" }
        return phrases.dropLast().joined(separator: ", ") + (phrases.count > 2 ? "," : "") + " and " + last
    }

    /// The first of them, and how many more there are.
    private static func list(_ names: [String], separator: String = ", ") -> String {
        let shown = names.prefix(Limits.describedNames).joined(separator: separator)
        return names.count > Limits.describedNames
            ? "\(shown)\(separator)and \(names.count - Limits.describedNames) more" : shown
    }
}
