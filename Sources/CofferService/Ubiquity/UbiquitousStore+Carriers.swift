import CofferLinux
import CofferUbiquity
import Logging

extension UbiquitousStore {
    /// How long calls of carriers are waited for that are under way when their stores part from them.
    private static let carrierPatience = Duration.seconds(2)

    /// Waits for the carriers of stores that were stopped, for all together, and tells which are left
    /// behind: as when a folder is on a network that does not answer.
    static func waitForCarriers(of stores: [UbiquitousStore], telling logger: Logger) {
        let end = Monotonic.now + carrierPatience.wholeNanoseconds
        for store in stores {
            let now = Monotonic.now
            if store.waitForCarrier(timeout: .nanoseconds(end > now ? end - now : 0)) { continue }
            logger.warning(
                "A container does not answer, and is left behind", metadata: ["container": "\(store.name)"])
        }
    }
}
