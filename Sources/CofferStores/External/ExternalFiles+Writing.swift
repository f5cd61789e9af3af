internal import CofferLinux

extension ExternalFiles {
    /// Writes a value where it waits for the commit of its row; nothing is durable yet.
    ///
    /// - Throws: What the system says; then nothing is left of it.
    func stage(_ bytes: [UInt8], _ range: Range<Int>, named name: String) throws(LinuxError) {
        let path = "\(pendingPlace)/\(name)"
        let file: OwnedDescriptor
        do throws(LinuxError) {
            file = try folder.openBeneath(path, [.writeOnly, .create, .exclusive])
        } catch {
            guard error.isNotFound else { throw error }
            _ = try folder.makeFolders(pendingPlace)
            file = try folder.openBeneath(path, [.writeOnly, .create, .exclusive])
        }
        do throws(LinuxError) {
            for start in stride(from: range.lowerBound, to: range.upperBound, by: Limits.copyPiece) {
                try file.writeAll(Array(bytes[start..<min(start + Limits.copyPiece, range.upperBound)]))
            }
        } catch {
            try folder.unlink(path)
            throw error
        }
    }

    /// Makes staged values durable, and gives each a second name where the rows' readers look for it.
    ///
    /// The first name stays, and is durable before the second exists: it tells after a crash that the file
    /// may belong to no row.
    func publish(_ names: [String]) throws(LinuxError) {
        for name in names {
            try folder.openFile("\(pendingPlace)/\(name)").synchronize()
        }
        try folder.folder(pendingPlace).synchronize()
        let target = try folder.makeFolders(place)
        for name in names { try publish(name) }
        try target.synchronize()
    }

    /// Gives a pending value its second name.
    func publish(_ name: String) throws(LinuxError) {
        let (source, target) = ("\(pendingPlace)/\(name)", "\(place)/\(name)")
        do throws(LinuxError) {
            guard try folder.link(source, to: target) else {
                throw .malformed(path: "\(folder.path)/\(target)", detail: "a new value's name is taken")
            }
        } catch {
            guard error.isLinkRefused else { throw error }
            try copy(source, to: target)
        }
    }

    /// For file systems on which a file has one name only.
    private func copy(_ source: String, to target: String) throws(LinuxError) {
        let from = try folder.openFile(source)
        let to = try folder.openBeneath(target, [.writeOnly, .create, .exclusive])
        while true {
            let piece = try from.read(upTo: Limits.copyPiece)
            if piece.isEmpty { break }
            try to.writeAll(piece)
        }
        try to.synchronize()
    }

    /// Takes away the name by which a value waits.
    func unstage(_ name: String) throws(LinuxError) { try folder.unlink("\(pendingPlace)/\(name)") }

    /// Takes away the file of a value, whatever names it has.
    func remove(_ name: String) throws(LinuxError) {
        try folder.unlink("\(place)/\(name)")
        try unstage(name)
    }

    /// Returns once it is on the disk which files there are.
    func synchronize() throws(LinuxError) {
        do throws(LinuxError) {
            try folder.folder(place).synchronize()
        } catch {
            guard error.isNotFound else { throw error }
        }
    }

    /// The names under which values wait, or have waited when a service died.
    func pendingNames() throws(LinuxError) -> [String] {
        do throws(LinuxError) {
            return try folder.folder(pendingPlace).names()
        } catch {
            if error.isNotFound { return [] }
            throw error
        }
    }
}
