package import CofferContainer
package import CofferCoordination
internal import CofferLinux
package import CofferStores

/// Gives sixteen bytes that cannot be foretold, as two words.
package typealias RandomWords = @Sendable () -> (UInt64, UInt64)

/// A store that several machines share: what is saved in it goes into a container, and what others put there
/// comes into its rows.
///
/// Shared. One thread of its own folds, reads and writes the container, as long as this lives; it begins at
/// once, after each save, and when something may have come. Saves wait for it as for another save.
package final class UbiquitousStore: Sendable {
    /// What the work on it needs to know of its surroundings.
    package struct Environment: Sendable {
        /// Microseconds since 1970.
        package var now: @Sendable () -> WallTime
        /// How often the container is looked at.
        package var pauses = ContainerPulse.Pauses()
        /// The figures of the exchange.
        package var rules = ExchangeRules()
        /// How long nothing is saved before it is folded, and how long that is waited for at most.
        package var quiet = Duration.milliseconds(10)
        package var longestWait = Duration.seconds(2)
        /// How soon it is tried again if the file could not be read or written, or the container could
        /// not be reached, doubled up to the longest.
        package var retry = Duration.seconds(1)
        package var longestRetry = Duration.seconds(60)
        /// How soon it is looked for large values that have not come: nothing tells of them.
        package var valuePause = Duration.seconds(5)
        /// How long a container's marker is missed before its content counts as removed.
        package var patience = ContainerVisit.usualPatience
        /// The account's root, outside of which nothing is looked for; `nil` if any will do.
        package var root: ContainerID?
        /// Whether what others wrote is read; else what is to be in the container is put there, and no more.
        package var isReading = true
        /// How many objects are read at least before what was saved here meanwhile goes out.
        package var readsAtOnce = Limits.readsAtOnce
        /// From how many objects on a fold is made before the transaction that writes it.
        package var foldedInQueue = Limits.foldedInQueue
        /// Called between the two, when others may save.
        package var didPrepare: @Sendable () -> Void = {}
        /// Where ids of records and peers come from.
        package var words: RandomWords = Randomness.words
        /// Told what went wrong, and what changed that people should know.
        package var report: @Sendable (UbiquityEvent) -> Void = { _ in }
        /// Called after each round of work, when the status may be another one.
        package var didShow: @Sendable () -> Void = {}

        package init(now: @escaping @Sendable () -> WallTime) { self.now = now }
    }

    /// What the store is called in its container.
    package let name: String
    private let store: PersistentStore
    private let carrier: any ContainerCarrier
    private let environment: Environment
    private let signals: UbiquitySignals
    let work: UbiquityWork
    private let pulse: ContainerPulse
    private let listener: Int

    /// Begins to share `store`, which the carrier's container calls `name`.
    ///
    /// - Throws: `StoreError` if there is no thread to be had.
    package init(
        _ store: PersistentStore, named name: String, over carrier: any ContainerCarrier,
        in environment: Environment
    ) throws(StoreError) {
        (self.name, self.store, self.carrier, self.environment) = (name, store, carrier, environment)
        let signals = UbiquitySignals()
        self.signals = signals
        let work = UbiquityWork(store, over: carrier, in: environment, signals)
        self.work = work
        do throws(LinuxError) {
            pulse = try ContainerPulse(carrier, pauses: environment.pauses) { work.run($0) }
        } catch {
            throw StoreError(error)
        }
        signals.hurry(through: pulse)
        listener = store.addListener(signals).id
    }

    deinit {
        store.removeListener(listener)
        work.end()
    }

    /// What is to be shown of it.
    package var status: UbiquityStatus { signals.status }

    /// The objects of the container that are known, by name; nothing before it was looked at.
    package func objects(limit: Int) -> [CarriedObject] { (try? work.exchange.objects(limit: limit)) ?? [] }

    /// Looks at the container now.
    package func hurry() { pulse.hurry() }

    /// Looks at the container now, and waits until what came is in the store.
    ///
    /// - Returns: Whether it was in time: a container may not answer.
    package func finishRound(timeout: Duration) -> Bool { signals.finishRound(timeout: timeout) }

    /// Waits until all that was saved up to a transaction is written down for other machines.
    ///
    /// - Returns: Whether that was so in time.
    package func waitUntilFolded(_ number: UInt64, timeout: Duration) -> Bool {
        signals.waitUntilFolded(number, timeout: timeout)
    }

    /// Ends the work on it: nothing of it touches the store once this returns.
    ///
    /// A call of the carrier may be under way still; whatever it brings is dropped.
    package func stop() { work.end() }

    /// After `stop`, waits for a call of the carrier that is under way.
    ///
    /// - Returns: Whether it ended in time; else its thread is left behind.
    package func waitForCarrier(timeout: Duration) -> Bool { signals.waitUntilIdle(timeout: timeout) }
}
