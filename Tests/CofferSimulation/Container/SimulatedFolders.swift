package import CofferContainer
internal import CofferMerge
package import Synchronization

/// Folders of several machines, between which other software carries files, badly.
///
/// Each machine has a folder of its own; what is written there reaches the others late, in any order, twice,
/// cut short at first, with copies beside it, and what was deleted comes back now and then. Shared: all of it
/// stands in one `Mutex`.
package final class SimulatedFolders: Sendable {
    /// One file of one folder.
    package struct File: Hashable, Sendable {
        /// `nil` if it was deleted.
        package var bytes: [UInt8]?
        /// Of two versions the greater one stays.
        package var version: Int

        package init(bytes: [UInt8]?, version: Int) {
            self.bytes = bytes
            self.version = version
        }
    }

    /// A change of one file on its way to one machine.
    struct Transfer {
        var target: Int
        var name: String
        var file: File
        var arrival: Int64
    }

    /// What a machine finds for a while in the place of its folder.
    package enum Hiding: CaseIterable, Sendable {
        /// Nothing: the disk does not answer.
        case away
        /// The bare place where the disk is mounted.
        case bare
        /// The root, in which the container was deleted.
        case emptied
        /// Another container.
        case replaced
    }

    /// All folders and what is under way between them.
    package struct World: Sendable {
        /// What each machine has.
        package var folders: [[String: File]] = []
        /// What every file would be, once all is carried.
        package var latest: [String: File] = [:]
        var transfers: [Transfer] = []
        var version = 0
        var clock: Int64
        var draw: Draw
        var isCalm = false
        var refusals: [Int: CarrierError] = [:]
        var hidden: [Int: (hiding: Hiding, end: Int64)] = [:]
        /// When an object was first put anywhere.
        var firstPut: [ObjectName: Int64] = [:]
        /// What the baselines hold that were ever put.
        var baselines: [ObjectName: BaselineContent] = [:]
        /// The registers of the logs that were ever put.
        var logs: [ObjectName: [Register]] = [:]
        /// Which machine took which objects away, since this was last asked for.
        var removals: [(index: Int, name: ObjectName)] = []
        /// What files are since they were damaged.
        var damaged: [String: [UInt8]] = [:]
        /// How often something was written where there is no container of ours.
        var trespasses = 0
    }

    package let world: Mutex<World>
    static let second: Int64 = 1_000_000
    /// Microseconds of a day.
    package static let day = 86_400 * second
    /// The marker of the container, and that of its root.
    static let markers = (
        container: ContainerID(high: 0, low: 1), root: ContainerID(high: 0, low: 2),
        other: ContainerID(high: 0, low: 3)
    )

    /// So many empty folders; what is carried when follows from a number, and the time begins a second after
    /// `start`, in microseconds.
    package init(_ count: Int, seed: UInt64, start: Int64 = 0) {
        world = Mutex(
            World(
                folders: [[String: File]](repeating: [:], count: count), clock: start + Self.second,
                draw: Draw(seed)))
    }

    /// The time.
    package var now: WallTime { WallTime(microseconds: world.withLock { $0.clock }) }

    /// The time by a clock that shows so many microseconds more.
    func now(skewedBy skew: Int64) -> WallTime { WallTime(microseconds: max(0, now.microseconds + skew)) }

    /// Adds a machine that has what another has; tells its number.
    package func addFolder(copying index: Int) -> Int {
        world.withLock { world in
            world.folders.append(world.folders[index])
            return world.folders.count - 1
        }
    }

    /// Puts the container's marker into all folders.
    func begin() throws(ObjectFault) {
        let marker = ContainerObject(
            .marker(Self.markers.container), content: try MarkerContent(peer: PeerID(0), time: 0).bytes())
        let (name, bytes) = marker.packed()
        world.withLock { world in
            let file = File(bytes: bytes, version: 0)
            world.latest["\(name)"] = file
            for index in world.folders.indices { world.folders[index]["\(name)"] = file }
        }
    }

    /// Lets time pass, and what is due arrive.
    package func pass(_ microseconds: Int64) {
        world.withLock { world in
            world.clock += microseconds
            let clock = world.clock
            world.hidden = world.hidden.filter { $0.value.end > clock }
            let due = world.transfers.filter { $0.arrival <= clock }.shuffled(using: &world.draw)
            world.transfers.removeAll { $0.arrival <= clock }
            for transfer in due { world.arrive(transfer) }
        }
    }

    /// From now on all arrives soon and once.
    package func calm() { world.withLock { $0.calm() } }

    /// Loses some files for good, as a server does that is put back.
    package func forget() { world.withLock { $0.forget() } }

    /// Makes a machine refuse all that is written there; `nil`: no longer.
    package func refuse(_ index: Int, _ error: CarrierError?) {
        world.withLock { $0.refusals[index] = error }
    }

    /// Shows a machine something else in the place of its folder for a while, in microseconds.
    func hide(_ index: Int, _ hiding: Hiding, for microseconds: Int64) {
        world.withLock { $0.hidden[index] = (hiding, $0.clock + microseconds) }
    }

    /// Everything that will be there once all is carried and nothing is cut short.
    package var finalFiles: [String: [UInt8]] { world.withLock { $0.latest.compactMapValues(\.bytes) } }
}
