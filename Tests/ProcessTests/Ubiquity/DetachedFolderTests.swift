import Coffer
import CofferLinux
import ContextSupport
import Foundation
import TestSupport
import Testing

/// Two machines that share a store by a folder on a disk of its own, which is taken away and comes back.
@Suite(
    .enabled(if: SmallDisk.isPermitted, "this process may not mount file systems"))
struct DetachedFolderTests {
    @Test func `what is saved while the disk is away comes once it is back, and nothing into its place`()
        throws
    {
        try withTemporaryFolder { folder in
            let (disk, root) = ("\(folder)/disk", "\(folder)/root")
            for path in [disk, root] { _ = try Folder.make(at: path) }
            try SmallDisk.lend(at: disk, kilobytes: 64 << 10) {
                try SmallDisk.attach(disk, at: root)
                var isAttached = true
                defer { if isAttached { try? SmallDisk.detach(root) } }
                let one = try SharingMachine(sharing: root, SharedModels.notes())
                defer { one.service.stop() }
                let other = try SharingMachine(sharing: root, SharedModels.notes())
                defer { other.service.stop() }
                let writers = try [NoteWriter("one", on: one), NoteWriter("other", on: other)]
                for _ in 0..<3 {
                    for writer in writers { try writer.wait(for: 5) }
                    try SmallDisk.detach(root)
                    isAttached = false
                    try waitUntil("that both find it away") {
                        for writer in writers { try writer.wait(for: 1) }
                        return try one.status()?.condition == "away" && other.status()?.condition == "away"
                    }
                    for writer in writers { try writer.wait(for: 5) }
                    #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
                    try SmallDisk.attach(disk, at: root)
                    isAttached = true
                    try waitUntil("that both find it again") {
                        for writer in writers { try writer.wait(for: 1) }
                        return try one.status()?.condition == "there" && other.status()?.condition == "there"
                    }
                }
                let saved = try writers.flatMap { try $0.end() }.sorted()
                try waitUntilEqual(one, other)
                for machine in [one, other] {
                    #expect(try machine.container.newContext().texts("Note", "name") == saved)
                }
            }
        }
    }
}
