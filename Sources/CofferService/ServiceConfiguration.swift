package import CofferDBus
import CofferLinux
package import CofferStores

/// What a service is started with.
package struct ServiceConfiguration: Sendable {
    /// Which bus.
    package var bus: DBusAddress
    /// Whether it serves many users, told apart by the bus.
    package var isSystem: Bool
    /// The folder that holds all stores.
    package var dataFolder: String
    /// How long the service may be unused before it exits; `nil`: it stays.
    package var idleTimeout: Duration?
    /// Fetches that take so long or longer are logged; zero: none.
    package var slowFetchThreshold: Duration
    /// How long a call over the bus is carried out, which its caller cannot take back.
    package var busCallTimeout: Duration
    /// How long the marker of a shared store's container is missed before its content counts as removed.
    package var containerPatience = Duration.seconds(60)
    /// Bytes that the files of one user of the system's service may take; `nil`: as many as there are.
    package var userQuota: Int?
    /// The quota that holds if no setting says otherwise: 16 GiB.
    package static let usualUserQuota = 16 << 30
    /// How much of the SQL of stores is logged: 0 for nothing, to 3.
    package var sqlDebug: Int
    /// What every store is opened with that its client says nothing of: files, clock and randomness.
    package var storeOptions: StoreOptions
    /// Where the root folder of a process is: `/proc/<pid>/root`, or another place in tests.
    package var processRoot: @Sendable (Int32) -> String
    /// Seconds since 2001-01-01 UTC.
    package var now: @Sendable () -> Double

    /// A configuration in which all but the bus and the data folder has a usual default.
    package init(
        bus: DBusAddress, isSystem: Bool, dataFolder: String, idleTimeout: Duration? = .seconds(60),
        slowFetchThreshold: Duration = .seconds(1), busCallTimeout: Duration = .seconds(300),
        userQuota: Int? = ServiceConfiguration.usualUserQuota, sqlDebug: Int = 0,
        storeOptions: StoreOptions = StoreOptions(),
        processRoot: @escaping @Sendable (Int32) -> String = { "/proc/\($0)/root" },
        now: @escaping @Sendable () -> Double = { WallClock.secondsSince2001 }
    ) {
        self.bus = bus
        self.isSystem = isSystem
        self.dataFolder = dataFolder
        self.idleTimeout = idleTimeout
        self.slowFetchThreshold = slowFetchThreshold
        self.busCallTimeout = busCallTimeout
        self.userQuota = userQuota
        self.sqlDebug = sqlDebug
        self.storeOptions = storeOptions
        self.processRoot = processRoot
        self.now = now
    }
}
