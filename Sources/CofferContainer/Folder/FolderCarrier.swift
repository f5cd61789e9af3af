package import CofferLinux
internal import Synchronization

/// A folder that Syncthing, Nextcloud or the like carries between machines, or a person with a disk.
///
/// Shared. It keeps nothing open: the folder is looked up again for each call, since a disk that was away
/// may come back as another one, and nothing of ours keeps it from being unmounted.
package final class FolderCarrier: ContainerCarrier {
    /// The folder that the account keeps its containers in, as the person named it.
    let root: String
    /// The store's folder below it, `<container>/<store>`.
    let path: String

    /// The names that this carrier gave and took away: of most of these its watch does not tell.
    let ownNames = OwnNames()

    private let counts = CarrierTraffic()
    package var traffic: CarrierTraffic? { counts }

    /// The file system on which the root was when it was last looked at; `nil` if it never was.
    private let seenFileSystem = Mutex<UInt64?>(nil)

    /// Called between the steps of putting an object there: a simulation of crashes ends the process in it.
    let onStep: @Sendable (WriteStep) -> Void

    /// How far an object is that is being put there.
    package enum WriteStep: CaseIterable, Sendable {
        /// The file is there, and empty.
        case opened
        /// All is in it, which nothing has flushed yet.
        case written
        /// It has its name, and is on the disk.
        case named
    }

    /// The carrier of the store at `path` below `root`.
    ///
    /// - Throws: `LinuxError.invalidPath` if the path would lead elsewhere.
    package init(
        root: String, path: String, onStep: @escaping @Sendable (WriteStep) -> Void = { _ in }
    ) throws(LinuxError) {
        _ = try RelativePath.components(of: path)
        self.root = root
        self.path = path
        self.onStep = onStep
    }

    package var traits: CarrierTraits {
        // A folder that cannot be reached tells of nothing.
        CarrierTraits(goodObjectByteCount: 8 << 20, tellsOfChanges: (try? isLocal()) ?? false)
    }

    /// The store's folder, for messages.
    var place: String { "\(root)/\(path)" }

    /// The store's folder.
    func folder() throws(CarrierError) -> Folder {
        try reaching { () throws(LinuxError) in try Folder(at: root).folder(path) }
    }

    /// Whether the file system is one of this machine, whose changes are all told of.
    func isLocal() throws(CarrierError) -> Bool {
        try reaching { () throws(LinuxError) in
            switch try Folder(at: root).fileSystem() {
            case .local, .memory: true
            case .network, .userSpace: false
            }
        }
    }

    /// Does what needs the folder.
    func reaching<Result>(
        toWrite: Bool = false, _ body: () throws(LinuxError) -> Result
    ) throws(CarrierError) -> Result {
        do throws(LinuxError) {
            return try body()
        } catch {
            throw CarrierError(error, at: place, toWrite: toWrite)
        }
    }
}

extension FolderCarrier {
    package func look() throws(CarrierError) -> ContainerSighting {
        try reaching { () throws(LinuxError) in
            let root = try Folder(at: self.root)
            let folder: Folder?
            do throws(LinuxError) {
                folder = try root.folder(path)
            } catch {
                guard error.isNotFound else { throw error }
                folder = nil
            }
            let fileSystem = try root.descriptor.facts().device
            seenFileSystem.withLock { $0 = fileSystem }
            return ContainerSighting(
                fileSystem: fileSystem, rootMarkers: Self.markers(among: try root.names()),
                folder: try folder.map { (folder) throws(LinuxError) in
                    let names = try folder.names()
                    let (removed, unreadable) = Self.readMarkers(among: names, in: folder)
                    return ContainerSighting.Folder(
                        markers: Self.markers(among: names), removedMarkers: removed,
                        unreadableMarkers: unreadable, isWritable: folder.isWritable)
                })
        }
    }

    package func isMarked(
        by markers: Set<ContainerID>, inRoot root: ContainerID?
    ) throws(CarrierError) -> Bool {
        try reaching { () throws(LinuxError) in
            let place = try Folder(at: self.root)
            if let root, try place.facts(of: "\(ObjectName(.marker(root)))") == nil { return false }
            let folder: Folder
            do throws(LinuxError) {
                folder = try place.folder(path)
            } catch {
                guard error.isNotFound else { throw error }
                return false
            }
            if !folder.isWritable { return false }
            var present: [String] = []
            for marker in markers {
                if try folder.facts(of: "\(ObjectName(.removal(marker)))") != nil { return false }
                let name = "\(ObjectName(.marker(marker)))"
                if try folder.facts(of: name) != nil { present.append(name) }
            }
            let (removed, unreadable) = Self.readMarkers(among: present, in: folder)
            return !present.isEmpty && removed.isEmpty && unreadable.isEmpty
        }
    }

    /// The root, for writing into it.
    ///
    /// - Throws: `CarrierError.away`, also if a disk was taken away since the last look: nothing is to be
    ///   put into the folder that is left in its place.
    func writableRoot() throws(CarrierError) -> Folder {
        let (root, fileSystem) = try reaching(toWrite: true) { () throws(LinuxError) in
            let root = try Folder(at: self.root)
            return (root, try root.descriptor.facts().device)
        }
        if let seen = seenFileSystem.withLock({ $0 }), seen != fileSystem {
            throw .away(place: self.root, reason: "another file system is there")
        }
        return root
    }

    /// The containers of which an object in `folder` says that the content was removed, and the markers that
    /// cannot be read; a removal that cannot be read says nothing.
    private static func readMarkers(
        among names: [String], in folder: Folder
    ) -> (removed: Set<ContainerID>, unreadable: [ContainerID: ObjectFault]) {
        var removed: Set<ContainerID> = []
        var unreadable: [ContainerID: ObjectFault] = [:]
        for name in names where isMarker(name) {
            let identity = ObjectName(name)?.identity
            let container: ContainerID
            switch identity {
            // The first versions wrote it into the marker.
            case .marker(let marked), .removal(let marked): container = marked
            case .keys, .log, .baseline, .part, .model, .data, nil: continue
            }
            // What the file system does not give may still be on its way.
            guard let bytes = try? folder.read(name, limit: Limits.markerByteCount) else { continue }
            do throws(ObjectFault) {
                let object = try ContainerObject(reading: bytes)
                guard object.identity == identity else { continue }
                if try MarkerContent(reading: object.content).isRemoved { removed.insert(container) }
            } catch {
                if case .marker = identity { unreadable[container] = error }
            }
        }
        return (removed, unreadable)
    }

    /// The containers whose markers have names like these.
    static func markers(among names: [String]) -> Set<ContainerID> {
        var markers: Set<ContainerID> = []
        for name in names where isMarker(name) {
            if case .marker(let container)? = ObjectName(name)?.identity { markers.insert(container) }
        }
        return markers
    }

    /// Whether a name may be that of a marker, or of what says that content was removed; most are not.
    private static func isMarker(_ name: String) -> Bool {
        [ObjectIdentity.Kind.marker, .removal].contains { name.hasPrefix($0.letter) }
    }
}
