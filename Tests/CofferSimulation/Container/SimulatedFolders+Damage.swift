internal import CofferContainer
internal import Synchronization

extension SimulatedFolders {
    /// Damages a file of registers for good, wherever it is; it is whole again once a peer puts it again.
    ///
    /// - Returns: The name of the damaged file; `nil` if the folder has none.
    func damage(_ draw: inout Draw) -> String? {
        let choice = draw.next()
        return world.withLock { $0.damage(choice) }
    }

    /// A log that is damaged in a folder and holds what a peer does not have, which that one does not tell.
    func damage(in folder: Int, untoldBy exchange: Exchange) -> ObjectName? {
        let damaged = world.withLock { world in
            world.damaged.filter { world.folders[folder][$0.key]?.bytes == $0.value }.keys.sorted()
        }
        let status = exchange.status
        return damaged.compactMap { ObjectName($0) }.first { name in
            guard case .log(let writer, let folds) = name.identity, writer != exchange.peer else {
                return false
            }
            return !exchange.vector.folds(of: writer).contains(folds) && status.quarantined[name] == nil
                && status.waiting[name] == nil
        }
    }
}

extension SimulatedFolders.World {
    fileprivate mutating func damage(_ choice: UInt64) -> String? {
        let names = latest.filter { $0.value.bytes != nil }.keys.sorted().filter { name in
            switch ObjectName(name)?.identity {
            case .log, .baseline, .part: true
            default: false
            }
        }
        guard !names.isEmpty else { return nil }
        let name = names[Int(choice % UInt64(names.count))]
        guard let file = latest[name], var bytes = file.bytes, !bytes.isEmpty else { return nil }
        bytes[Int(choice >> 32) % bytes.count] ^= 0x55
        damaged[name] = bytes
        let broken = SimulatedFolders.File(bytes: bytes, version: file.version)
        latest[name] = broken
        for index in folders.indices where folders[index][name]?.bytes == file.bytes {
            folders[index][name] = broken
        }
        for index in transfers.indices where transfers[index].name == name && transfers[index].file == file {
            transfers[index].file = broken
        }
        return name
    }
}
