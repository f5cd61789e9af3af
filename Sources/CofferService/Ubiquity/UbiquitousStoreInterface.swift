import CofferContainer
import CofferCoordination
import CofferDBus
import CofferLinux
import CofferModel
import CofferStores
import CofferUbiquity

/// `org.coffer.Storage1.UbiquitousStore`: how an open store is shared with other machines.
enum UbiquitousStoreInterface {
    static let table = BusInterface<ServedStore>(
        name: BusNames.ubiquitousStoreInterface,
        documentation:
            "How far an open store is that several machines share. Changes are told to names that asked for the objects (GetManagedObjects).",
        methods: [
            .init(
                "Verify",
                out: [
                    DBusArgument("objects", "t"), DBusArgument("unfolded", "t"),
                    DBusArgument("differing", "t"), DBusArgument("differences", "as"),
                    DBusArgument("peers", "as"), DBusArgument("digest", "s"),
                ],
                "Compares what is kept for other machines with the rows, and writes nothing; saves wait meanwhile. Says how many objects it has, how many rows were saved since and are not compared, how many objects differ, the first 1000 of these in words, the machines that have read the same and have something else, and the digest."
            ) { store, _, _ in
                guard let found = try ReplicaVerification.of(store.persistentStore) else {
                    throw ServiceError.denied("The store was never shared: there is nothing to compare.")
                }
                let differing = store.sharing.status?.differing ?? []
                return [
                    .uint64(UInt64(found.objectCount)), .uint64(UInt64(found.unfoldedCount)),
                    .uint64(UInt64(found.differenceCount)), .strings(found.differences),
                    .strings(differing.sorted().map { "\($0)" }), .string("\(found.digest)"),
                ]
            },
            .init(
                "Objects", out: [DBusArgument("objects", "a(sss)")],
                "Lists the objects of the container that are known, the first 10000 by name: name, kind (marker, keys, log, baseline, part, model or data) and what became of it here (own, unwritten, read, unread, waiting, quarantined or listed)."
            ) { store, _, _ in
                let objects = store.sharing.objects(limit: Limits.objectsTold)
                return [
                    .array(
                        "(sss)",
                        objects.map { object in
                            .structure([
                                .string("\(object.name)"), .string(object.kind),
                                .string(object.state.rawValue),
                            ])
                        })
                ]
            },
            .init(
                "Conflicts", in: [DBusArgument("after", "t")],
                out: [DBusArgument("conflicts", "a(tstssvvbb)"), DBusArgument("more", "b")],
                "Lists what merging with other machines overruled, after a number, the oldest first; and whether there are more. A line for each property: number, kind (value, move, edit, deletion or merge), key of the row or 0, entity, property, what was lost and what stayed (empty text where it is null or not at hand), whether what was lost was written here, and whether it was undone."
            ) { store, caller, arguments in
                guard caller.userID == store.key.userID else {
                    throw ServiceError.denied("Only the store's user reads values of its objects.")
                }
                let journal = try ConflictJournal(
                    of: store.persistentStore, after: arguments[0].uint64Value ?? 0,
                    limit: Limits.conflictsTold)
                return [
                    .array("(tstssvvbb)", journal.entries.flatMap(\.rows)), .boolean(journal.hasMore),
                ]
            },
            .init(
                "UndoConflict", in: [DBusArgument("number", "t")], out: [DBusArgument("transaction", "t")],
                "Saves what a conflict overruled, as an ordinary edit; 0 if it was undone before."
            ) { store, caller, arguments in
                guard caller.userID == store.key.userID, caller.sandbox == nil else {
                    throw ServiceError.denied("Only a program of the store's user, in no sandbox, undoes it.")
                }
                let origin = SaveOrigin(
                    application: store.key.application, process: "busctl",
                    timestamp: WallClock.secondsSince2001)
                do {
                    return [
                        .uint64(
                            try ConflictUndo.undo(
                                arguments[0].uint64Value ?? 0, in: store.persistentStore, by: origin))
                    ]
                } catch let refusal as ConflictUndo.Refusal {
                    throw ServiceError.denied("\(refusal)")
                }
            },
            .init(
                "TakePart", in: [DBusArgument("takes_part", "b")],
                "Has the caller asked from now on, or no longer, before the content of the store is exchanged, as when another account is signed in: by the signal StoresWillChange, to its name alone, until it goes or does not answer in time. It saves and lets go what it has of the store, then it calls Answer."
            ) { store, caller, arguments in
                guard caller.userID == store.key.userID else {
                    throw ServiceError.denied("Only programs of the store's user are asked.")
                }
                guard case .boolean(let takesPart) = arguments[0] else {
                    throw BusCallError.invalidArgument("a truth value is expected")
                }
                try store.handshakes.takePart(caller.busName, in: store.key, takesPart)
                return []
            },
            .init(
                "Answer", in: [DBusArgument("question", "t")], out: [DBusArgument("in_time", "b")],
                "Answers a question of StoresWillChange: the caller has let go what it has of the store, which is exchanged once all have. Says whether that was waited for."
            ) { store, caller, arguments in
                [.boolean(store.handshakes.take(arguments[0].uint64Value ?? 0, from: caller.busName))]
            },
            .init(
                "Violations",
                out: [
                    DBusArgument("count", "t"), DBusArgument("objects", "as"),
                    DBusArgument("properties", "as"), DBusArgument("reasons", "as"),
                    DBusArgument("texts", "as"),
                ],
                "Looks for what the model forbids and merging brought about, and writes nothing; saves wait meanwhile. Says how many such things there are, and of the first 1000 the object's URI, the properties with commas between them, how they are wrong (required, too_small, too_large, no_match, too_few, too_many, key_taken), and the same for people. What only has not come yet is none; a save is refused only for what it makes worse."
            ) { store, _, _ in
                guard let found = try ReplicaViolations.of(store.persistentStore) else {
                    throw ServiceError.denied("The store was never shared: nothing was merged into it.")
                }
                return [
                    .uint64(UInt64(found.count)), .strings(found.first.map(\.object.uri)),
                    .strings(found.first.map { $0.properties.joined(separator: ",") }),
                    .strings(found.first.map(\.reason)), .strings(found.first.map(\.text)),
                ]
            },
        ],
        properties: [
            .init(
                "ContentName", "s", changes: .const, documentation: "What it is called in its container."
            ) { .string($0.sharing.contentName) },
            .init(
                "Condition", "s", changes: .value,
                documentation:
                    "What is known of the container: signed-out, new, there, read-only, full, doubtful, away, emptied, replaced, locked or newer."
            ) { .string($0.sharing.conditionWord) },
            .init(
                "Peer", "s", changes: .value,
                documentation: "What it writes under: 16 hexadecimal digits; empty before it was read."
            ) { .string(status(of: $0)?.peer.map { "\($0)" } ?? "") },
            .init(
                "Objects", "t", changes: .value, documentation: "How many objects it has for other machines."
            ) { .uint64(UInt64(status(of: $0)?.objectCount ?? 0)) },
            .init(
                "Exported", "t", changes: .value,
                documentation: "How often it has written something for others that the container has."
            ) { store in
                .uint64(status(of: store).map { $0.lastFold - UInt64($0.unwrittenFolds) } ?? 0)
            },
            .init(
                "Unexported", "t", changes: .value,
                documentation: "How often it has written something that the container does not have yet."
            ) { .uint64(UInt64(status(of: $0)?.unwrittenFolds ?? 0)) },
            .init(
                "Imported", "t", changes: .value,
                documentation: "How many objects came from other machines since it was opened."
            ) { .uint64($0.sharing.importedCount) },
            .init(
                "Listed", "t", changes: .value,
                documentation: "How many logs and baselines of others it knows of in the container."
            ) { .uint64(UInt64(status(of: $0)?.listedCount ?? 0)) },
            .init(
                "Unread", "t", changes: .value,
                documentation: "How many of these it has not read yet: so far is a first join from its end."
            ) { .uint64(UInt64(status(of: $0)?.unreadCount ?? 0)) },
            .init(
                "Peers", "u", changes: .value, documentation: "How many other copies it has heard of."
            ) { store in
                let peers = status(of: store).map { status in status.vector.keys.count { $0 != status.peer } }
                return .uint32(UInt32(peers ?? 0))
            },
            .init(
                "Waiting", "t", changes: .value,
                documentation: "How many objects of the container wait for others."
            ) { .uint64(UInt64(status(of: $0)?.waiting.count ?? 0)) },
            .init(
                "Quarantined", "t", changes: .value,
                documentation: "How many objects of the container cannot be read."
            ) { .uint64(UInt64(status(of: $0)?.quarantined.count ?? 0)) },
            .init(
                "Digest", "s", changes: .value,
                documentation: "Two machines have the same data if it is equal."
            ) { store in .string(status(of: store).map { "\($0.digest)" } ?? "") },
            .init(
                "Saved", "t", changes: .value, documentation: "The number of its last transaction."
            ) { .uint64($0.persistentStore.number) },
            .init(
                "FoldedTransaction", "t", changes: .value,
                documentation: "All transactions up to this one are written down for others."
            ) { .uint64(status(of: $0)?.folded ?? 0) },
            .init(
                "ExportedTransaction", "t", changes: .value,
                documentation: "All transactions up to this one are in the container."
            ) { .uint64(status(of: $0)?.exported ?? 0) },
            .init(
                "Seen", "a{st}", changes: .value,
                documentation:
                    "For each other copy: it is known to have all transactions up to this one."
            ) { store in
                .dictionary(
                    "s", "t",
                    (status(of: store)?.seenTransactions ?? [:]).sorted { $0.key < $1.key }.map {
                        .init(.string("\($0.key)"), .uint64($0.value))
                    })
            },
            .init(
                "Missing", "as", changes: .value, documentation: "What is missing, and why, for people."
            ) { .strings(status(of: $0)?.missing ?? []) },
            .init(
                "SentBytes", "t", changes: .value,
                documentation: "Bytes that went into the container since it was opened."
            ) { .uint64(status(of: $0)?.sentByteCount ?? 0) },
            .init(
                "ReceivedBytes", "t", changes: .value,
                documentation: "Bytes that came out of the container since it was opened."
            ) { .uint64(status(of: $0)?.receivedByteCount ?? 0) },
            .init(
                "LastError", "s", changes: .value,
                documentation: "Why the last attempt failed; empty if it did not."
            ) { .string(status(of: $0)?.failure ?? "") },
        ],
        signals: [
            DBusSignalDescription(
                "StoresWillChange",
                [
                    DBusArgument("why", "s"), DBusArgument("question", "t"),
                    DBusArgument("milliseconds", "u"),
                ],
                documentation:
                    "To a name that takes part: the content of the store is exchanged once it has answered the question, or that much time is over. Why: account-added, account-removed, content-removed, initial-import-completed, replaced or removed."
            ),
            DBusSignalDescription(
                "StoresDidChange", [DBusArgument("why", "s"), DBusArgument("unchanged", "b")],
                documentation:
                    "To a name that takes part: the store can be opened again, and has other content, unless it is unchanged since the exchange failed."
            ),
        ])

    private static func status(of store: ServedStore) -> UbiquityStatus? { store.sharing.status }
}

extension ServedStore {
    /// Its interfaces on the bus.
    var interfaces: [BoundInterface] {
        let own = BoundInterface(StoreInterface.table, self)
        if sharing.content == nil { return [own] }
        return [own, BoundInterface(UbiquitousStoreInterface.table, self)]
    }
}

extension Service {
    /// Tells the clients that watch objects what is new in how a store is shared, if anything is.
    func announceSharing(of store: ServedStore) {
        let announcer = announcer(userID: store.key.userID, application: store.key.application)
        let interface = BoundInterface(UbiquitousStoreInterface.table, store)
        switch store.sharing.tell(interface.values()) {
        case .first: announcer?.added(store.key.objectPath, [interface])
        case .more: announcer?.changed(store.key.objectPath, interface)
        case .nothing: return
        }
        core.pushSyncDidChange(of: store)
    }
}
