import CofferLinux

/// A control group with little memory, if this machine lets a test make one; the caller removes it.
///
/// Both forms of the kernel's are known: version 2, and the memory controller of version 1.
struct MemoryGroup {
    private static let limit = "12582912"
    private static let forms = [
        (folder: "/sys/fs/cgroup", limit: "memory.max", tasks: "cgroup.procs"),
        (folder: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes", tasks: "tasks"),
    ]

    private let parent: Folder
    private let name: String
    /// The file into which a process writes its pid to be one of the group.
    let tasks: String

    /// `nil` if the kernel has no memory groups, or not for this user.
    init?() {
        for form in Self.forms {
            let name = "coffer-test-" + String(Randomness.words().0, radix: 36)
            // By the tool for it: folders of ours are flushed to the disk, and these are on none.
            let mkdir = try? ChildProcess("mkdir", arguments: ["\(form.folder)/\(name)"], errors: .discarded)
            guard (try? mkdir?.waitForExit()) == .code(0), let parent = try? Folder(at: form.folder),
                let group = try? parent.folder(name)
            else { continue }
            // A group that is made has the files of its controllers at once, and another folder never.
            guard let file = try? group.openBeneath(form.limit, [.writeOnly]),
                (try? file.writeAll(Array(Self.limit.utf8))) != nil
            else {
                _ = try? parent.removeFolder(name)
                continue
            }
            self.parent = parent
            self.name = name
            tasks = "\(group.path)/\(form.tasks)"
            return
        }
        return nil
    }

    /// Whether the kernel measures pressure, and lets a test make groups that have it.
    static var isPossible: Bool {
        guard MemoryPressure(path: "/proc/pressure/memory") != nil, let group = MemoryGroup() else {
            return false
        }
        group.remove()
        return true
    }

    /// Removes the group, whose processes have ended.
    func remove() {
        // It only stays in this machine's memory.
        _ = try? parent.removeFolder(name)
    }
}
