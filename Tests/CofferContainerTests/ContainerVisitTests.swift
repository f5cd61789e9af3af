import CofferContainer
import CofferLinux
import CofferMerge
import TestSupport
import Testing

@Suite struct `A visit of a container` {
    private static let path = "notes/main"
    private static let second: Int64 = 1_000_000

    private func time(_ seconds: Int64) -> WallTime { WallTime(microseconds: seconds * Self.second) }

    private func withCarrier(_ body: (FolderCarrier, Folder) throws -> Void) throws {
        try withTemporaryFolder { root in
            try body(FolderCarrier(root: root, path: Self.path), Folder(at: root))
        }
    }

    @Test func `begins a container that nobody began, and joins one that somebody did`() throws {
        try withCarrier { (carrier, root) throws in
            var (one, other) = (ContainerVisit(), ContainerVisit())
            #expect(one.look(carrier, as: PeerID(1), at: time(1)) == [.exchange])
            #expect(one.condition == .there(.open))
            #expect(try carrier.look().rootMarkers.count == 1)
            #expect(other.look(carrier, as: PeerID(2), at: time(2)) == [.adoptMarkers, .exchange])
            #expect(try carrier.list().objects.count == 1, "one marker is enough")
            #expect(one.memory.markers == other.memory.markers)
            #expect(one.look(carrier, as: PeerID(1), at: time(3)) == [.exchange])
        }
    }

    @Test func `puts nothing back where the content was deleted`() throws {
        try withCarrier { (carrier, root) throws in
            var visit = ContainerVisit()
            _ = visit.look(carrier, as: PeerID(1), at: time(1))
            try root.removeAll("notes")
            #expect(visit.look(carrier, as: PeerID(1), at: time(10)).isEmpty)
            #expect(visit.condition == .doubtful)
            #expect(visit.look(carrier, as: PeerID(1), at: time(69)).isEmpty)
            #expect(visit.look(carrier, as: PeerID(1), at: time(70)).isEmpty)
            #expect(visit.condition == .emptied)
            #expect(visit.look(carrier, as: PeerID(1), at: time(1_000)).isEmpty)
            #expect(try root.names().count == 1, "the root's marker alone")
        }
    }

    @Test func `concludes nothing where a disk is not mounted, and goes on when it is`() throws {
        try withTemporaryFolder { parent in
            let disk = "\(parent)/disk"
            let carrier = try FolderCarrier(root: disk, path: Self.path)
            let folder = try Folder(at: parent)
            _ = try folder.makeFolders("disk")
            var visit = ContainerVisit()
            _ = visit.look(carrier, as: PeerID(1), at: time(1))
            try folder.rename("disk", to: "elsewhere", replacing: false)
            #expect(visit.look(carrier, as: PeerID(1), at: time(100)) == [.tryLater])
            // The bare place of a mount.
            let bare = try folder.makeFolders("disk")
            #expect(visit.look(carrier, as: PeerID(1), at: time(10_000)) == [.tryLater])
            #expect(visit.condition == .away)
            #expect(try bare.names().isEmpty, "nothing is written to it")
            _ = try folder.removeFolder("disk")
            try folder.rename("elsewhere", to: "disk", replacing: false)
            #expect(visit.look(carrier, as: PeerID(1), at: time(20_000)) == [.exchange])
        }
    }

    @Test func `joins what others began while a container that it never saw was away`() throws {
        try withTemporaryFolder { parent in
            let folder = try Folder(at: parent)
            let carrier = try FolderCarrier(root: "\(parent)/root", path: Self.path)
            var (one, other) = (ContainerVisit(), ContainerVisit())
            #expect(one.look(carrier, as: PeerID(1), at: time(1)) == [.tryLater])
            #expect(one.condition == .away)
            _ = try folder.makeFolders("root")
            #expect(other.look(carrier, as: PeerID(2), at: time(2)) == [.exchange])
            #expect(one.look(carrier, as: PeerID(1), at: time(3)) == [.adoptMarkers, .exchange])
            #expect(one.memory.markers == other.memory.markers)
        }
    }

    @Test func `does not join what somebody began anew in its place`() throws {
        try withCarrier { (carrier, root) throws in
            var (one, other) = (ContainerVisit(), ContainerVisit())
            _ = one.look(carrier, as: PeerID(1), at: time(1))
            try root.removeAll("notes")
            _ = other.look(carrier, as: PeerID(2), at: time(2))
            #expect(one.look(carrier, as: PeerID(1), at: time(3)).isEmpty)
            #expect(one.condition == .replaced)
            #expect(one.memory.markers != other.memory.markers)
        }
    }

    /// A marker that this version cannot read, with what is known of its container then.
    enum Barrier: CaseIterable, Sendable {
        case laterObject, laterContent, sealed

        var condition: ContainerCondition {
            switch self {
            case .laterObject: .newer(version: 2)
            case .laterContent: .newer(version: 3)
            case .sealed: .locked(KeyID(number: 7))
            }
        }

        func bytes(of marker: ContainerID) throws -> [UInt8] {
            let format: UInt32 = self == .laterContent ? 3 : MarkerContent.format
            let content = try MarkerContent(format: format, peer: PeerID(9), time: 1).bytes()
            let object = ContainerObject(.marker(marker), content: content)
            return switch self {
            case .laterObject: object.laterBytes
            case .laterContent: object.packed().bytes
            case .sealed: object.sealedBytes(with: KeyID(number: 7))
            }
        }
    }

    @Test(arguments: Barrier.allCases)
    func `leaves a container of a later format, or a sealed one, alone until it can be read`(
        barrier: Barrier
    ) throws {
        try withCarrier { (carrier, root) throws in
            var (one, other) = (ContainerVisit(), ContainerVisit())
            _ = one.look(carrier, as: PeerID(1), at: time(1))
            let marker = ContainerID.random()
            let content = try MarkerContent(peer: PeerID(9), time: 1).bytes()
            let (name, bytes) = ContainerObject(.marker(marker), content: content).packed()
            try root.replace("\(Self.path)/\(name)", with: barrier.bytes(of: marker))
            for second: Int64 in 2...3 {
                #expect(one.look(carrier, as: PeerID(1), at: time(second)).isEmpty)
                #expect(other.look(carrier, as: PeerID(2), at: time(second)).isEmpty)
                #expect(one.condition == barrier.condition && other.condition == barrier.condition)
            }
            #expect(try root.folder(Self.path).names().count == 2, "nothing is put there")
            try root.replace("\(Self.path)/\(name)", with: bytes)
            #expect(one.look(carrier, as: PeerID(1), at: time(4)) == [.exchange])
            #expect(other.look(carrier, as: PeerID(2), at: time(4)) == [.adoptMarkers, .exchange])
            #expect(one.memory.markers == other.memory.markers)
        }
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting is not permitted here"))
    func `a full disk and one that can only be read are told apart, and read on`() throws {
        try withTemporaryFolder { path in
            try SmallDisk.lend(at: path, kilobytes: 64) {
                let carrier = try FolderCarrier(root: path, path: Self.path)
                var visit = ContainerVisit()
                _ = visit.look(carrier, as: PeerID(1), at: time(1))
                var random = Seed.printed(for: "A full disk").generator()
                let large = ContainerObject(.data, content: random.bytes(200_000))
                do throws(CarrierError) {
                    try carrier.put(large)
                } catch {
                    if let event = ContainerEvent(error) { visit.take(event, at: time(2)) }
                }
                #expect(visit.condition == .there(.full))
                #expect(visit.look(carrier, as: PeerID(1), at: time(3)) == [.exchange], "it is tried again")
                #expect(visit.condition == .there(.full))
                try carrier.put(ContainerObject(.part, content: [1]))
                visit.take(.accepted, at: time(4))
                #expect(visit.condition == .there(.open))
                try SmallDisk.setReadOnly(true, at: path)
                #expect(visit.look(carrier, as: PeerID(1), at: time(5)) == [.exchange])
                #expect(visit.condition == .there(.readOnly))
            }
        }
    }
}
