import CofferDBus
import CofferLinux
import TestSupport
import Testing

extension OneAtATime {
    @Suite(.serialized) struct BrokenDiskTests {
        @Test(
            .enabled(if: SmallDisk.isPermitted, "mounting is not permitted here"))
        func `a full disk refuses saves until there is space again`() throws {
            try withSmallDisk(kilobytes: 2_048) { service in
                let client = try ClientProcess(service)
                let text = String(repeating: "x", count: 20_000)
                var saved = 0
                var failure: [String: String] = [:]
                while failure.isEmpty, saved < 1_000 {
                    try client.ask("insert", ["as": "it", "sequence": "\(saved)", "body": text])
                    do {
                        try client.save()
                        saved += 1
                    } catch let error as ClientProcess.Failure {
                        failure = error.answer
                    }
                }
                #expect(saved > 5)
                #expect(failure["code"] == "ResourceExhausted", "\(failure)")
                #expect(
                    failure["reason"] == "disk_full" && failure["place"] == LogFile.path(service),
                    "\(failure)")
                #expect(try client.count() == saved + 1, "the context still has what could not be saved")
                #expect(try service.integrity(ofStore: "Log") == [])
                // A second attempt changes nothing.
                #expect(try client.failure("save")["reason"] == "disk_full")
                try Folder(at: service.data).unlinkFile("ballast")
                try client.save()
                #expect(try client.insert(saved + 1) > 0)
                #expect(try client.count() == saved + 2)
                #expect(try service.integrity(ofStore: "Log") == [])
                #expect(try client.end() == .code(0))
                try service.kill9()
                let file = try LogFile(service)
                try file.expectWhole()
                #expect(try file.entries().count == saved + 2)
            }
        }

        /// Lends a service whose data are on a disk of their own, with a file `ballast` of half its size.
        private func withSmallDisk(kilobytes: Int, _ body: (ServiceUnderTest) throws -> Void) throws {
            try withService { service in
                let parent = try Folder(at: String(service.data.dropLast("/data".count)))
                _ = try parent.makeFolders("data")
                try SmallDisk.lend(at: service.data, kilobytes: kilobytes) {
                    try Folder(at: service.data).replace(
                        "ballast", with: Array(repeating: 1, count: kilobytes * 512))
                    try body(service)
                }
            }
        }

        @Test(arguments: Seed.several(3))
        func `flipped bits are told, and harm no other store`(seed: Seed) throws {
            print("flipped bits, seed \(seed)")
            try withService { service in
                try fill(service, store: "Broken")
                let good = try ClientProcess(service, store: "Good")
                try good.insert(1)
                #expect(try good.end() == .code(0))
                try service.close()
                try damage(LogFile.path(service, "Broken"), seed: seed)
                let keeper = try ClientProcess(service, store: "Good")
                let client = try ClientProcess(service, opens: false)
                var told: [String] = []
                do {
                    try client.ask("open", ["store": "Broken"])
                    told = try service.integrity(ofStore: "Broken")
                    if told.isEmpty { told = try client.failure("fetch").map { "\($0)" } }
                } catch DBusError.remote(let name, let message) {
                    #expect(
                        name.hasPrefix("org.coffer.Storage1.Error.DataLoss")
                            && message.contains(LogFile.path(service, "Broken")))
                    told = [message]
                } catch let failure as ClientProcess.Failure {
                    #expect(failure.answer["place"] == LogFile.path(service, "Broken"))
                    #expect(
                        ["damaged", "not_a_store"].contains(failure.answer["reason"]), "\(failure.answer)")
                    told = [failure.answer["text"] ?? ""]
                }
                #expect(!told.isEmpty)
                print("seed \(seed): \(told.map { $0.prefix(200) })")
                #expect(try keeper.insert(2) > 0, "the other store is served on")
                #expect(try keeper.count() == 2)
                #expect(try service.integrity(ofStore: "Good") == [])
            }
        }

        /// Makes a store of some dozens of pages.
        private func fill(_ service: ServiceUnderTest, store: String) throws {
            let client = try ClientProcess(service, store: store)
            try client.post("saveLoop", ["writer": "1", "count": "200"])
            while try client.answer()["done"] == nil {}
            #expect(try client.end() == .code(0))
        }

        /// Flips a byte at the beginning of every fourth page behind the first, where SQLite keeps what a
        /// page is.
        private func damage(_ path: String, seed: Seed) throws {
            var random = seed.generator()
            let (folder, name) = try split(path)
            var bytes = try folder.read(name, limit: 1 << 26)
            let pages = bytes.count / 4_096
            #expect(pages > 8)
            for page in 1..<pages where page % 4 == Int(seed.value % 4) || pages < 8 {
                bytes[page * 4_096 + Int.random(in: 0..<12, using: &random)] ^= UInt8.random(
                    in: 1...255, using: &random)
            }
            try folder.replace(name, with: bytes)
        }

        private func split(_ path: String) throws -> (Folder, String) {
            let slash = try #require(path.lastIndex(of: "/"))
            return (try Folder(at: String(path[..<slash])), String(path[path.index(after: slash)...]))
        }

        @Test(arguments: Seed.several(2))
        func `a file of garbage is refused and left as it is`(seed: Seed) throws {
            try withService { service in
                let keeper = try ClientProcess(service, store: "Good")
                var random = seed.generator()
                let folder = try Folder(at: LogFile.folder(service))
                let header = Array("SQLite format 3\0".utf8)
                let files: [String: [UInt8]] = [
                    "Garbage": random.bytes(20_000), "Empty": [], "Short": random.bytes(3),
                    "Pretender": header + random.bytes(20_000), "Header": header,
                ]
                for (name, bytes) in files {
                    try folder.replace("\(name).sqlite", with: bytes)
                    let client = try ClientProcess(service, opens: false)
                    let failure = try client.failure("open", ["store": name])
                    #expect(
                        ["not_a_store", "damaged"].contains(failure["reason"]),
                        "\(name), seed \(seed): \(failure)")
                    #expect(failure["text"]?.contains("\(name).sqlite") == true, "\(failure)")
                    #expect(try folder.read("\(name).sqlite", limit: 1 << 20) == bytes, "\(name) was changed")
                    let others = try folder.names().filter { $0.hasPrefix(name) && !$0.hasSuffix(".lock") }
                    #expect(others == ["\(name).sqlite"], "\(others)")
                }
                #expect(try keeper.insert(1) > 0)
            }
        }
    }
}

extension Folder {
    fileprivate func unlinkFile(_ name: String) throws {
        guard try unlink(name) else { throw ServiceUnderTest.Missing() }
    }
}

extension ServiceUnderTest {
    /// Ends the service as an administrator would: every log is moved into its file.
    fileprivate func close() throws {
        guard let pid = try pid() else { return }
        try ProcessControl.kill(pid, .terminate)
        try waitUntilGone()
        // The name is given up first; the process is gone when it owns no file any more.
        try waitUntil("process \(pid) is gone") { !ProcessControl.exists(pid) }
    }
}
