internal import CLinux

extension Folder {
    /// The names in the folder, in no order, without `.` and `..`.
    ///
    /// Names that are not UTF-8 are left out: nothing of ours is called so.
    /// - Throws: `.bufferFull` past `Limits.namesInFolder`.
    package func names() throws(LinuxError) -> [String] {
        var listing: OpaquePointer?
        let opened = unsafe coffer_listing_open(descriptor.number, &listing)
        try check(opened, "opendir", path: path)
        defer { unsafe coffer_listing_close(listing) }
        var names: [String] = []
        while true {
            var error: Int32 = 0
            guard let next = unsafe coffer_listing_next(listing, &error) else {
                try check(error, "readdir", path: path)
                return names
            }
            guard let name = unsafe String(validatingCString: next), name != ".", name != ".." else {
                continue
            }
            if names.count == Limits.namesInFolder { throw .bufferFull(limit: Limits.namesInFolder) }
            names.append(name)
        }
    }

    /// What is at `relativePath`, or `nil` if nothing is.
    ///
    /// A symbolic link is not followed.
    package func facts(of relativePath: String) throws(LinuxError) -> FileFacts? {
        do throws(LinuxError) {
            return try withParent(of: relativePath) { (folder, name) throws(LinuxError) in
                var facts = coffer_file_facts()
                try check(
                    unsafe coffer_stat_at(folder, name, &facts), "fstatat", path: path(of: relativePath))
                return FileFacts(facts)
            }
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
    }

    /// Whether the file with `facts` is still what `name`, one component, stands for; cheap for it and for
    /// those that write into it.
    package func isAt(_ name: String, _ facts: FileFacts) throws(LinuxError) -> Bool {
        let result = unsafe coffer_is_at(descriptor.number, name, facts.device, facts.inode)
        if result >= 0 { return result != 0 }
        throw .system(call: "statx", errno: -result, path: path + "/" + name)
    }

    /// Whether something is at `relativePath`.
    package func exists(_ relativePath: String) throws(LinuxError) -> Bool {
        try facts(of: relativePath) != nil
    }

    /// Removes the file at `relativePath`; says whether there was one.
    @discardableResult
    package func unlink(_ relativePath: String) throws(LinuxError) -> Bool {
        try remove(relativePath, isFolder: false)
    }

    /// Removes the empty folder at `relativePath`; says whether there was one.
    @discardableResult
    package func removeFolder(_ relativePath: String) throws(LinuxError) -> Bool {
        try remove(relativePath, isFolder: true)
    }

    /// Removes the folder at `relativePath` and all in it; symbolic links go, what they name stays.
    package func removeAll(_ relativePath: String) throws(LinuxError) {
        guard let facts = try facts(of: relativePath) else { return }
        if facts.kind == .folder {
            let inner = try folder(relativePath)
            for name in try inner.names() { try inner.removeAll(name) }
            try removeFolder(relativePath)
        } else {
            try unlink(relativePath)
        }
    }

    /// Gives the file at `source` the place `target`, in one step.
    ///
    /// `target` is relative to `other`, or to this folder if that is `nil`. A file at `target` is replaced if
    /// `replacing` is set; else the error is `EEXIST`.
    package func rename(
        _ source: String, to target: String, in other: Folder? = nil, replacing: Bool = true
    ) throws(LinuxError) {
        try withParent(of: source) { (from, name) throws(LinuxError) in
            try (other ?? self).withParent(of: target) { (to, newName) throws(LinuxError) in
                let result = unsafe coffer_rename(from, name, to, newName, replacing ? 1 : 0)
                _ = try check(result, "renameat2", path: path(of: source))
            }
        }
    }

    /// Gives the file at `source` a second name, `target`; says whether that was free.
    ///
    /// - Throws: an error of which `isLinkRefused` is true if the file system has no second names.
    package func link(_ source: String, to target: String) throws(LinuxError) -> Bool {
        try withParent(of: source) { (from, name) throws(LinuxError) in
            try withParent(of: target) { (to, newName) throws(LinuxError) in
                let result = unsafe coffer_link(from, name, to, newName)
                if result == -coffer_eexist { return false }
                _ = try check(result, "linkat", path: path(of: target))
                return true
            }
        }
    }

    /// The bytes of the file at `relativePath`.
    ///
    /// - Throws: `.bufferFull` if there are more than `limit`.
    package func read(_ relativePath: String, limit: Int) throws(LinuxError) -> [UInt8] {
        try openFile(relativePath).readAll(limit: limit)
    }

    /// Puts `bytes` at `relativePath` so that after a crash either the old file or the whole new one is
    /// there.
    ///
    /// They are written beside it, brought to the disk, renamed, and the folder is brought to the disk.
    package func replace(_ relativePath: String, with bytes: [UInt8]) throws(LinuxError) {
        let components = try RelativePath.components(of: relativePath)
        let parent = components.count == 1 ? self : try folder(components.dropLast().joined(separator: "/"))
        let (high, low) = Randomness.words()
        let temporary = ".\(String(high, radix: 36))\(String(low, radix: 36)).new"
        do throws(LinuxError) {
            let file = try parent.openBeneath(temporary, [.writeOnly, .create, .exclusive])
            try file.writeAll(bytes)
            try file.synchronize()
            try parent.rename(temporary, to: components[components.count - 1])
        } catch {
            // The first error is the one to tell.
            _ = unsafe coffer_unlink(parent.descriptor.number, temporary, 0)
            throw error
        }
        try parent.synchronize()
    }

    private func remove(_ relativePath: String, isFolder: Bool) throws(LinuxError) -> Bool {
        do throws(LinuxError) {
            try withParent(of: relativePath) { (folder, name) throws(LinuxError) in
                let result = unsafe coffer_unlink(folder, name, isFolder ? 1 : 0)
                _ = try check(result, "unlinkat", path: path(of: relativePath))
            }
            return true
        } catch {
            // A file system that can only be read does not say whether there was anything.
            if error.isNotFound { return false }
            if error.isOfReadOnlyFileSystem, try !exists(relativePath) { return false }
            throw error
        }
    }

    /// Lends the folder that `relativePath` is in, and the last component, which is resolved no further.
    private func withParent<Result>(
        of relativePath: String, _ body: (Int32, String) throws(LinuxError) -> Result
    ) throws(LinuxError) -> Result {
        let components = try RelativePath.components(of: relativePath)
        let name = components[components.count - 1]
        if components.count == 1 { return try body(descriptor.number, name) }
        let parent = try folder(components.dropLast().joined(separator: "/"))
        return try withExtendedLifetime(parent) { () throws(LinuxError) in
            try body(parent.descriptor.number, name)
        }
    }
}
