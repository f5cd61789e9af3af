import CofferContainer
import CofferLinux
import CofferMerge
import Glibc
import Synchronization
import TestSupport
import Testing

struct FolderCarrierTests {
    private static let path = "notes/main"
    private static let object = ContainerObject(
        .log(PeerID(7), folds: 1...2), content: Array("a".utf8))
    private static let value = ContainerObject(.data, content: [UInt8](repeating: 9, count: 200_000))

    /// Lends a carrier of an empty root, and the root.
    private func withCarrier<Result>(_ body: (FolderCarrier, Folder) throws -> Result) throws -> Result {
        try withTemporaryFolder { root in
            try body(FolderCarrier(root: root, path: Self.path), Folder(at: root))
        }
    }

    @Test(arguments: [object, value])
    func `what is put is listed, and is got back`(object: ContainerObject) throws {
        try withCarrier { carrier, _ in
            try carrier.put(object)
            let (name, bytes) = object.packed()
            #expect(try carrier.list().objects == [name])
            #expect(try carrier.get(name) == bytes)
        }
    }

    @Test func `putting twice leaves the one file untouched`() throws {
        try withCarrier { carrier, root in
            try carrier.put(Self.object)
            let place = "\(Self.path)/\(Self.object.packed().name)"
            let before = try #require(try root.facts(of: place))
            try carrier.put(Self.object)
            #expect(try root.facts(of: place) == before)
            #expect(try root.folder(Self.path).names().count == 1)
        }
    }

    @Test func `what a carrier cut short is put there whole again`() throws {
        try withCarrier { carrier, root in
            let (name, bytes) = Self.object.packed()
            _ = try root.makeFolders(Self.path)
            for damaged in [[], Array(bytes.dropLast()), bytes.map { $0 ^ 1 }] {
                try root.replace("\(Self.path)/\(name)", with: damaged)
                try carrier.put(Self.object)
                #expect(try carrier.get(name) == bytes)
            }
        }
    }

    @Test func `what was removed is gone, and may be removed again`() throws {
        try withCarrier { carrier, _ in
            for object in [Self.object, Self.value] { try carrier.put(object) }
            let names = [Self.object, Self.value].map { $0.packed().name }
            for _ in 0..<2 {
                try carrier.remove(names)
                #expect(try carrier.list().objects.isEmpty)
            }
            #expect(try carrier.get(names[0]) == nil)
        }
    }

    @Test func `copies, renamed objects and other files are told of and not taken`() throws {
        try withCarrier { carrier, root in
            try carrier.put(Self.object)
            let (name, bytes) = Self.object.packed()
            let folder = try root.folder(Self.path)
            let stem = String(name.description.dropLast(7))
            for other in [
                "\(stem) (1).coffer", "\(stem).sync-conflict-20261125-101010-ABCDEFG.coffer", "notes.txt",
            ] { try folder.replace(other, with: bytes) }
            for hidden in [".stfolder", ".\(name).syncthing.tmp", ".~\(name).part"] {
                try folder.replace(hidden, with: bytes)
            }
            let listing = try carrier.list()
            #expect(listing.objects == [name])
            #expect(listing.strangerCount == 3)
            #expect(listing.strangers.contains("notes.txt"))
        }
    }

    @Test func `no link leads out of the container`() throws {
        try withCarrier { carrier, root in
            try carrier.put(Self.value)
            let (name, bytes) = Self.object.packed()
            try withTemporaryFolder { elsewhere in
                try Folder(at: elsewhere).replace("object", with: bytes)
                let link = try ChildProcess(
                    "ln", arguments: ["-s", "\(elsewhere)/object", "\(root.path)/\(Self.path)/\(name)"])
                #expect(try link.waitForExit() == .code(0))
                #expect(throws: CarrierError.self) { try carrier.get(name) }
                try carrier.put(Self.object)
                #expect(try carrier.get(name) == bytes)
                #expect(try Folder(at: elsewhere).names() == ["object"])
            }
        }
    }

    @Test func `a root that is gone is away, and nothing is made in its place`() throws {
        try withTemporaryFolder { parent in
            let carrier = try FolderCarrier(root: parent + "/disk", path: Self.path)
            for call in [
                { _ = try carrier.look() }, { _ = try carrier.list() }, { try carrier.put(Self.object) },
                { try carrier.remove([]) },
            ] as [() throws -> Void] {
                let error = #expect(throws: CarrierError.self) { try call() }
                guard case .away = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            #expect(try Folder(at: parent).names().isEmpty)
        }
    }

    @Test func `looking tells root, folder, markers and whether they may be written`() throws {
        try withCarrier { carrier, root in
            #expect(try carrier.look().folder == nil)
            let (mine, other) = (ContainerID.random(), ContainerID.random())
            try carrier.put(ContainerObject(.marker(mine), content: []))
            let (name, bytes) = ContainerObject(.marker(other), content: []).packed()
            try root.replace("\(name)", with: bytes)
            let sighting = try carrier.look()
            #expect(sighting.rootMarkers == [other])
            #expect(sighting.folder?.markers == [mine])
            #expect(sighting.folder?.isWritable == true)
            #expect(sighting.fileSystem == (try root.descriptor.facts().device))
        }
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting is not permitted here"))
    func `a full disk and one that can only be read leave no part of an object`() throws {
        try withTemporaryFolder { path in
            try SmallDisk.lend(at: path, kilobytes: 64) {
                let carrier = try FolderCarrier(root: path, path: Self.path)
                try carrier.put(Self.object)
                var random = Seed.printed(for: "A full disk").generator()
                let large = ContainerObject(.data, content: random.bytes(200_000))
                let full = #expect(throws: CarrierError.self) { try carrier.put(large) }
                #expect(full == .full(place: "\(path)/\(Self.path)"))
                #expect(try carrier.list().objects == [Self.object.packed().name])
                try SmallDisk.setReadOnly(true, at: path)
                #expect(try carrier.look().folder?.isWritable == false)
                let refused = #expect(throws: CarrierError.self) { try carrier.put(Self.value) }
                #expect(refused == .readOnly(place: "\(path)/\(Self.path)"))
                #expect(try carrier.get(Self.object.packed().name) != nil)
            }
        }
    }

    @Test func `a watch tells of what comes and goes, and ends with its owner`() throws {
        try withCarrier { carrier, root in
            try carrier.put(Self.value)
            let other = try FolderCarrier(root: root.path, path: Self.path)
            let count = ConditionLock(0)
            var watch: (any CarrierWatch)? = try carrier.watch { _ in
                count.withLock { $0 += 1 }
                count.broadcast()
            }
            try other.put(Self.object)
            let came = count.wait(timeout: .seconds(60)) { $0 > 0 ? $0 : nil }
            #expect(came != nil)
            try other.remove([Self.object.packed().name])
            let went = count.wait(timeout: .seconds(60)) { $0 > (came ?? 0) ? $0 : nil }
            #expect(went != nil)
            weak let weakly = watch
            watch = nil
            #expect(weakly == nil)
        }
    }

    @Test func `a huge file is read no further than an object may be`() throws {
        try withCarrier { carrier, root in
            try carrier.put(Self.value)
            let name = Self.object.packed().name
            let file = try root.folder(Self.path).openBeneath("\(name)", [.writeOnly, .create])
            try file.truncate(to: 1 << 40)
            let error = #expect(throws: CarrierError.self) { try carrier.get(name) }
            guard case .unreadable(name, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `of two markers of one container the first one stays, and removal is said beside it`() throws {
        try withCarrier { carrier, root in
            let container = ContainerID.random()
            func marker(_ peer: UInt64, isRemoved: Bool = false) throws -> ContainerObject {
                let content = MarkerContent(peer: PeerID(peer), time: 5, isRemoved: isRemoved)
                return ContainerObject(
                    isRemoved ? .removal(container) : .marker(container), content: try content.bytes())
            }
            func maker(isRemoved: Bool = false) throws -> MarkerContent {
                let name = try marker(1, isRemoved: isRemoved).packed().name
                let object = try ContainerObject(reading: try #require(try carrier.get(name)))
                return try MarkerContent(reading: object.content)
            }
            try carrier.put(marker(1))
            try carrier.put(marker(2))
            #expect(try maker().peer == PeerID(1))
            #expect(try carrier.look().folder?.liveMarkers == [container])
            for peer: UInt64 in 3...4 { try carrier.put(marker(peer, isRemoved: true)) }
            #expect(try maker().peer == PeerID(1) && maker(isRemoved: true).peer == PeerID(3))
            #expect(try carrier.look().folder?.removedMarkers == [container])
            #expect(try carrier.look().folder?.liveMarkers == [])
            let name = "\(Self.path)/\(try marker(1).packed().name)"
            try root.replace(name, with: Array(try root.read(name, limit: 1_000).dropLast()))
            try carrier.put(marker(5))
            #expect(try maker().peer == PeerID(5), "a damaged one is put there anew")
        }
    }

    @Test func `what nobody would read is not put there`() throws {
        try withCarrier { carrier, _ in
            var random = Seed.printed(for: "Too large").generator()
            for object in [
                ContainerObject(.marker(.random()), content: [UInt8](repeating: 0, count: 5_000)),
                ContainerObject(.data, content: random.bytes(10 << 20)),
            ] {
                let error = #expect(throws: CarrierError.self) { try carrier.put(object) }
                guard case .tooLarge = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            #expect(throws: CarrierError.self) { try carrier.list() }
        }
    }

    @Test(.enabled(if: CurrentProcess.userID == 0, "only root can become somebody who may read nothing"))
    func `what may not be read is told as that, and not as what cannot be written`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = folder.path
        try FolderCarrier(root: root, path: Self.path).put(Self.object)
        await #expect(processExitsWith: .exitCode(0)) { [root = root as String] in
            guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(1) }
            let carrier = try FolderCarrier(root: root, path: FolderCarrierTests.path)
            do throws(CarrierError) {
                _ = try carrier.list()
                exit(2)
            } catch {
                exit(error == .forbidden(place: "\(root)/\(FolderCarrierTests.path)") ? 0 : 3)
            }
        }
    }
}
