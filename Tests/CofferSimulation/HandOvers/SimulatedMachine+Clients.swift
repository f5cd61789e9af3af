internal import CofferUbiquity

/// What clients do.
extension SimulatedMachine {
    /// A client changes something in its context.
    func edit(by client: Int, inserting label: Int, _ draw: inout Draw) {
        guard clients[client].isRunning, clients[client].place != nil else { return }
        if draw.chance(15), let place = clients[client].place, let shown = disk.files[place]?.shown,
            let label = shown.keys.sorted().filter({ !isPending($0, in: client) }).randomElement(using: &draw)
        {
            clients[client].changes.append(.delete(label))
            say("client \(client) deletes \(label)")
        } else {
            clients[client].changes.append(.insert(label))
            say("client \(client) inserts \(label)")
        }
    }

    private func isPending(_ label: Int, in client: Int) -> Bool {
        clients[client].changes.contains(.delete(label)) || clients[client].changes.contains(.insert(label))
    }

    /// A client saves: into the store that it has, or not at all.
    func save(by client: Int) throws(Death) {
        let changes = clients[client].changes
        guard clients[client].isRunning, !changes.isEmpty else { return }
        if clients[client].handle == nil {
            // The service was lost: the store is opened again first.
            try open(by: client, localContent: nil)
            if clients[client].changes.isEmpty { return say("what client \(client) did not save has gone") }
        }
        guard let handle = clients[client].handle else { return }
        guard let store = life.open, store.generation == handle || mutant == .lateSaves else {
            return say("a save of client \(client) is refused")
        }
        // A save that the service wrote and could not answer is known by its name when it comes again.
        let shown = disk.files[store.place]?.shown ?? [:]
        let present = changes.filter { change in
            switch change {
            case .insert(let label): shown[label] == nil
            case .delete(let label): shown[label] != nil
            }
        }
        ledger.begin(present, of: clients[client].basis, on: number)
        noteChoices()
        try write("save of client \(client) in \(store.place)") {
            $0.files[store.place]?.save(present, at: now)
        }
        clients[client].changes = []
        ledger.acknowledge(changes)
        say("client \(client) has saved \(present.count) changes in file \(store.place)")
    }

    /// A client that was asked lets go what it has; mostly it saves before.
    func answer(by client: Int, saving: Bool) throws(Death) {
        guard clients[client].isAsked, life.exchange?.parted == nil else { return }
        if saving { try save(by: client) }
        clients[client].changes = []
        say("client \(client) lets go")
        takeAnswer(of: client)
    }

    /// A client ends.
    func die(_ client: Int) {
        guard clients[client].isRunning else { return }
        say("client \(client) dies")
        clients[client] = SimulatedClient()
        life.open?.clients.remove(client)
        life.exchange?.parted?.remove(client)
        takeAnswer(of: client)
    }
}
