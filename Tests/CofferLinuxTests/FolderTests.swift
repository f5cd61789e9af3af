import CofferLinux
import TestSupport
import Testing

@Test(arguments: [
    ("", PathFault.empty), ("/etc", .absolute), ("a//b", .empty), ("a/../b", .dots), (".", .dots),
    ("a\0b", .nul), (String(repeating: "x", count: 256), .tooLong),
])
func `a path that could lead elsewhere is refused`(path: String, fault: PathFault) throws {
    let expected = LinuxError.invalidPath(path, reason: fault)
    #expect(throws: expected) { try RelativePath.components(of: path) }
    #expect(throws: expected) { try Folder(at: "/").openBeneath(path) }
    #expect(throws: LinuxError.invalidPath("a/b", reason: .separator)) {
        try RelativePath.checkComponent("a/b")
    }
}

@Test(arguments: [
    ("name", ".", "name"), ("/name", "/", "name"), ("/a/b/name", "/a/b", "name"), ("a/name", "a", "name"),
    ("/a/", "/a", ""), ("", ".", ""), ("/a/\u{301}x", "/a", "\u{301}x"),
])
func `a path says the folder of a file and its name`(path: String, folder: String, name: String) {
    #expect(FileLocation(path).folder.utf8.elementsEqual(folder.utf8))
    #expect(FileLocation(path).name.utf8.elementsEqual(name.utf8))
}

@Test func `symbolic links lead nowhere`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        let link = try ChildProcess("ln", arguments: ["-s", "/etc", "\(path)/link"])
        #expect(try link.waitForExit() == .code(0))
        #expect(throws: LinuxError.self) { try folder.openBeneath("link/passwd") }
        #expect(throws: LinuxError.self) { try folder.folder("link") }
        #expect(throws: LinuxError.self) { try folder.makeFolders("link/new") }
        #expect(try folder.facts(of: "link")?.kind == .symbolicLink)
        try folder.removeAll("link")
        #expect(try !folder.exists("link"))
        #expect(try Folder(at: "/").exists("etc/passwd"))
    }
}

@Test func `a folder is made behind links of the user that runs the process`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        _ = try folder.makeFolders("disk/home")
        let link = try ChildProcess("ln", arguments: ["-s", "disk/home", "\(path)/home"])
        #expect(try link.waitForExit() == .code(0))
        for _ in 0..<2 {
            let made = try Folder.make(at: "\(path)/home/user//.local/share/")
            #expect(try made.descriptor.facts().permissions == 0o700)
        }
        #expect(try folder.folder("disk/home/user/.local").names() == ["share"])
        _ = try folder.openBeneath("file", [.writeOnly, .create])
        #expect(throws: LinuxError.self) { try Folder.make(at: "\(path)/file/data") }
    }
}

@Test func `folders are made for their owner only`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        let deep = try folder.makeFolders("a/b/c")
        #expect(try deep.descriptor.facts().permissions == 0o700)
        #expect(try folder.makeFolders("a/b/c").path == deep.path)
        _ = try deep.openBeneath("file", [.writeOnly, .create, .exclusive])
        #expect(try folder.facts(of: "a/b/c/file")?.permissions == 0o600)
        #expect(throws: LinuxError.self) { try deep.openBeneath("file", [.writeOnly, .create, .exclusive]) }
        #expect(throws: LinuxError.self) { try folder.makeFolders("a/b/c/file/d") }
        #expect(try folder.fileSystem() == Folder(at: "/tmp").fileSystem())
    }
}

@Test func `names are listed, renamed and removed`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        try folder.replace("one", with: [1])
        try folder.replace("one", with: [1, 2])
        try folder.replace("two", with: [2])
        #expect(try folder.names().sorted() == ["one", "two"])
        #expect(throws: LinuxError.self) { try folder.rename("one", to: "two", replacing: false) }
        let inner = try folder.makeFolders("inner")
        try folder.rename("one", to: "three", in: inner)
        #expect(try inner.read("three", limit: 2) == [1, 2])
        #expect(throws: LinuxError.bufferFull(limit: 1)) { try inner.read("three", limit: 1) }
        #expect(try folder.unlink("two"))
        #expect(try !folder.unlink("two"))
        #expect(throws: LinuxError.self) { try folder.removeFolder("inner") }
        try folder.removeAll("inner")
        #expect(try folder.names().isEmpty)
        #expect(try folder.facts(of: "gone/deep") == nil)
        try folder.synchronize()
    }
}

@Test func `a path by descriptor reaches the same file`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        try folder.replace("file", with: [7])
        let procPath = try folder.procPath("file")
        let other = try Folder(at: "/").openBeneath(String(path.dropFirst()) + "/file")
        #expect(procPath == "/proc/self/fd/\(folder.descriptor.number)/file")
        #expect(try folder.facts(of: "file") == other.facts())
        #expect(try other.read(upTo: 5, at: 0) == [7])
        #expect(throws: LinuxError.self) { try folder.procPath("../file") }
        #expect(throws: LinuxError.self) { try Folder(other, path: "file") }
        #expect(try Folder(folder.descriptor.duplicate(), path: path).exists("file"))
    }
}

@Test
func `a lock names its owner to those it keeps out`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        var lock: LockFile? = try LockFile.acquire("store.lock", in: folder)
        let expected = LinuxError.locked(path: "\(path)/store.lock", owner: CurrentProcess.id)
        #expect(throws: expected) { try LockFile.acquire("store.lock", in: folder, wait: .milliseconds(12)) }
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(try folder.read("store.lock", limit: 100).first == UInt8(ascii: "\n"), "it names nobody")
        lock = try LockFile.acquire("store.lock", in: folder)
        #expect(lock != nil)
    }
}

@Test func `errors tell what failed and why`() {
    #expect {
        try Folder(at: "/nowhere")
    } throws: { error in
        "\(error)" == "open of '/nowhere': No such file or directory"
            && (error as? LinuxError)?.isNotFound == true
    }
}

@Test func `what is not a file is not opened as one, and nobody waits for it`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        #expect(try ChildProcess("mkfifo", arguments: ["\(path)/pipe"]).waitForExit() == .code(0))
        _ = try folder.makeFolders("folder")
        for name in ["pipe", "folder"] {
            let strange = LinuxError.malformed(path: "\(path)/\(name)", detail: "it is not a regular file")
            #expect(throws: strange) { try folder.openFile(name) }
            #expect(throws: strange) { try folder.read(name, limit: 1) }
        }
        #expect(throws: LinuxError.self) { try folder.openFile("pipe", [.writeOnly]) }
        #expect(throws: LinuxError.self) { try LockFile.acquire("pipe", in: folder) }
        #expect(throws: LinuxError.self) { try PartFile("pipe", in: folder) }
    }
}

@Test func `a lock, or a file that is written, never changes a file that has another name, too`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        for name in ["lock", "part"] {
            try folder.replace("precious", with: Array("precious".utf8))
            #expect(try folder.link("precious", to: name))
            if name == "lock" {
                let lock = try LockFile.acquire(name, in: folder)
                #expect(throws: LinuxError.self) { try LockFile.acquire(name, in: folder) }
                withExtendedLifetime(lock) {}
            } else {
                try PartFile(name, in: folder).finish(as: "whole", replacing: false)
            }
            #expect(try folder.read("precious", limit: 100) == Array("precious".utf8))
            #expect(try folder.facts(of: "precious")?.linkCount == 1)
        }
    }
}

@Test func `a folder knows what it is in, whatever the way there`() throws {
    try withTemporaryFolder { path in
        let folder = try Folder(at: path)
        let deep = try folder.makeFolders("a/b/c")
        let link = try ChildProcess("ln", arguments: ["-s", "\(path)/a/b", "\(path)/link"])
        #expect(try link.waitForExit() == .code(0))
        let inner = try folder.folder("a")
        #expect(try deep.isWithin(inner) && inner.isWithin(inner))
        #expect(try Folder(at: "\(path)/link/c").isWithin(inner))
        #expect(try !folder.isWithin(inner) && !Folder(at: "/").isWithin(inner))
    }
}

@Test(.enabled(if: ProgramDisk.isPermitted, "bindfs is not there"))
func `a name that is taken is kept on file systems that cannot promise it, too`() throws {
    try ProgramDisk.lend { path in
        let folder = try Folder(at: path)
        try folder.replace("one", with: [1])
        try folder.replace("two", with: [2])
        _ = try folder.makeFolders("folder/inner")
        for name in ["one", "folder"] {
            let error = #expect(throws: LinuxError.self) {
                try folder.rename(name, to: "two", replacing: false)
            }
            #expect(error?.isTaken == true, "\(String(describing: error))")
        }
        #expect(throws: LinuxError.self) {
            try folder.rename("folder", to: "folder/inner/x", replacing: false)
        }
        try folder.rename("one", to: "three", replacing: false)
        try folder.rename("folder", to: "other", replacing: false)
        #expect(try folder.names().sorted() == ["other", "three", "two"])
        #expect(try folder.read("three", limit: 9) == [1] && folder.folder("other").names() == ["inner"])
        #expect(throws: LinuxError.self) { try folder.rename("gone", to: "four", replacing: false) }
        // As after a crash in the middle.
        #expect(try folder.link("three", to: "five"))
        try folder.rename("three", to: "five", replacing: false)
        #expect(try folder.names().sorted() == ["five", "other", "two"])
    }
}

@Test(.enabled(if: SmallDisk.isPermitted))
func `nothing is removed where nothing is, be it of a file system that can only be read`() throws {
    try withTemporaryFolder { path in
        try SmallDisk.lend(at: path, kilobytes: 64) {
            let folder = try Folder(at: path)
            try folder.replace("file", with: [1])
            #expect(folder.isWritable)
            try SmallDisk.setReadOnly(true, at: path)
            #expect(try !folder.isWritable && !folder.mayWrite("file"))
            #expect(try !folder.unlink("other"))
            #expect(throws: LinuxError.self) { try folder.unlink("file") }
        }
    }
}
