package import CofferMerge

/// Which copy of a store a peer id was given to: it stands beside the id, in the store's file.
package struct PeerIdentity: Hashable, Sendable {
    /// The peer.
    package let peer: PeerID
    /// Where it was last opened.
    package let place: Place

    /// Where a store's file is: what changes if it was copied, restored or replaced.
    package struct Place: Hashable, Sendable {
        /// The machine's id, from `/etc/machine-id`.
        package let machine: String
        /// The boot's id, from `/proc/sys/kernel/random/boot_id`.
        package let boot: String
        /// The file system's number, which may be another one after the next boot.
        package let device: UInt64
        /// The file's number on it.
        package let file: UInt64

        package init(machine: String, boot: String, device: UInt64, file: UInt64) {
            self.machine = machine
            self.boot = boot
            self.device = device
            self.file = file
        }
    }

    package init(_ peer: PeerID, place: Place) {
        self.peer = peer
        self.place = place
    }

    /// Why a store goes on under a new peer id, before the container shows folds that it does not know.
    package enum Doubt: Hashable, Sendable {
        /// It is on another machine than before.
        case otherMachine
        /// Its file is another one than before: a copy, or one that was put back.
        case otherFile
    }

    /// Whether a file at another place is still the one that the id was given to; `nil` if it is.
    package func doubt(at now: Place) -> Doubt? {
        if now.machine != place.machine { return .otherMachine }
        if now.file != place.file { return .otherFile }
        // File systems get new numbers at each boot.
        return now.boot == place.boot && now.device != place.device ? .otherFile : nil
    }
}
