/// What is to be seen of a container and its root, with nothing concluded from it yet.
package struct ContainerSighting: Equatable, Sendable {
    /// Which file system the root is on: a number that is another one while a disk is not mounted.
    package let fileSystem: UInt64
    /// The root's markers; several if devices began at once.
    package let rootMarkers: Set<ContainerID>
    /// The store's folder in it; `nil` if there is none.
    package let folder: Folder?

    /// The store's folder.
    package struct Folder: Equatable, Sendable {
        /// The markers of the container.
        package let markers: Set<ContainerID>
        /// Containers whose content was removed for good, whether or not their markers are there.
        package let removedMarkers: Set<ContainerID>
        /// The markers that are not read, each with the reason: of a later format, sealed, or not whole yet.
        package let unreadableMarkers: [ContainerID: ObjectFault]
        /// Whether objects may be put there.
        package let isWritable: Bool

        package init(
            markers: Set<ContainerID>, removedMarkers: Set<ContainerID> = [],
            unreadableMarkers: [ContainerID: ObjectFault] = [:], isWritable: Bool
        ) {
            self.markers = markers
            self.removedMarkers = removedMarkers
            self.unreadableMarkers = unreadableMarkers
            self.isWritable = isWritable
        }

        /// The markers of content that is there.
        package var liveMarkers: Set<ContainerID> { markers.subtracting(removedMarkers) }
    }

    package init(fileSystem: UInt64, rootMarkers: Set<ContainerID>, folder: Folder?) {
        self.fileSystem = fileSystem
        self.rootMarkers = rootMarkers
        self.folder = folder
    }
}
