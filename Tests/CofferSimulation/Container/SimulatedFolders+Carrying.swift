internal import CofferContainer

extension SimulatedFolders.World {
    /// Writes a file on one machine, or deletes it, and sends it to all others.
    package mutating func write(_ name: String, _ bytes: [UInt8]?, at index: Int) {
        version += 1
        let file = SimulatedFolders.File(bytes: bytes, version: version)
        folders[index][name] = file
        latest[name] = file
        for target in folders.indices where target != index { send(name, file, to: target) }
    }

    /// Writes an object, as `write(_:_:at:)`.
    mutating func put(_ object: ContainerObject, at index: Int) {
        let (name, bytes) = object.packed()
        if firstPut[name] == nil { firstPut[name] = clock }
        switch object.identity {
        // An object that cannot be read has nothing to check.
        case .baseline: baselines[name] = try? BaselineContent(reading: object.content)
        case .log(_, let folds):
            // As above.
            logs[name] = (try? LogContent(reading: object.content, folds: folds, from: .container))?.registers
        default: break
        }
        if folders[index]["\(name)"]?.bytes != bytes { write("\(name)", bytes, at: index) }
    }

    mutating func chance(_ percent: Int) -> Bool { !isCalm && draw.chance(percent) }

    private mutating func send(_ name: String, _ file: SimulatedFolders.File, to target: Int) {
        let day = SimulatedFolders.day
        var delay = isCalm ? 1 : Int64.random(in: 1...60 * SimulatedFolders.second, using: &draw)
        if chance(5) { delay += Int64.random(in: 0...2 * day, using: &draw) }
        transfers.append(.init(target: target, name: name, file: file, arrival: clock + delay))
        if chance(10) {
            transfers.append(.init(target: target, name: name, file: file, arrival: clock + 2 * delay))
        }
        if let bytes = file.bytes, chance(10) {
            // Cut short at first: the whole comes later.
            var part = file
            part.bytes = Array(bytes.prefix(draw.below(bytes.count)))
            transfers.append(.init(target: target, name: name, file: part, arrival: clock + delay / 2))
        }
        if let bytes = file.bytes, chance(5) {
            let copy = SimulatedFolders.File(bytes: bytes, version: file.version)
            transfers.append(
                .init(target: target, name: "\(name.dropLast(7)) (1).coffer", file: copy, arrival: clock))
        }
    }

    /// A change comes to a machine.
    mutating func arrive(_ transfer: SimulatedFolders.Transfer) {
        let present = folders[transfer.target][transfer.name]
        guard (present?.version ?? -1) <= transfer.file.version else { return }
        if present?.version == transfer.file.version,
            (present?.bytes?.count ?? 0) > (transfer.file.bytes?.count ?? 0)
        {
            return
        }
        folders[transfer.target][transfer.name] = transfer.file
        // An old client brings back what was deleted.
        if transfer.file.bytes == nil, let bytes = present?.bytes, chance(5),
            latest[transfer.name]?.bytes == nil, ObjectName(transfer.name) != nil
        {
            write(transfer.name, bytes, at: transfer.target)
        }
    }

    mutating func calm() {
        isCalm = true
        (refusals, hidden) = ([:], [:])
        for index in transfers.indices { transfers[index].arrival = min(transfers[index].arrival, clock + 1) }
        // What was cut short comes whole in the end, and everybody gets the last of each.
        for target in folders.indices {
            for (name, file) in latest.sorted(by: { $0.key < $1.key }) {
                transfers.append(.init(target: target, name: name, file: file, arrival: clock + 2))
            }
            folders[target] = folders[target].filter { latest[$0.key] != nil }
        }
    }

    mutating func forget() {
        let names = latest.filter { $0.value.bytes != nil }.keys.sorted().filter { name in
            if case .marker = ObjectName(name)?.identity { false } else { true }
        }
        for name in names.shuffled(using: &draw).prefix(3) {
            latest[name] = nil
            transfers.removeAll { $0.name == name }
            for index in folders.indices { folders[index][name] = nil }
        }
    }
}
