package import CofferContainer
internal import CofferCoordination
package import CofferStores
internal import Synchronization

/// Brings what a store's file owes to its container there, while no client is served from the file.
///
/// Shared. What others wrote is not read, and nothing is put there if the container's content was removed.
package final class OutboxDelivery: Sendable {
    /// The store; `nil` once this has ended.
    private let store: Mutex<PersistentStore?>
    private let work: UbiquityWork
    private let carrier: any ContainerCarrier

    /// A delivery from a file that no client has open.
    ///
    /// - Throws: `StoreError` if it cannot be read.
    package init(
        _ file: StoreFile, over carrier: any ContainerCarrier, in environment: UbiquitousStore.Environment
    ) throws(StoreError) {
        var environment = environment
        environment.isReading = false
        let store = try PersistentStore(file: file) { _ in }
        self.store = Mutex(store)
        self.carrier = carrier
        work = UbiquityWork(store, over: carrier, in: environment, UbiquitySignals())
    }

    /// Folds what was saved, and puts what is not in the container there.
    ///
    /// - Returns: How often it has written something that is not there, as far as is known; `nil` if this
    ///   has ended.
    /// - Throws: `StoreError` if the file cannot be read.
    package func run() throws(StoreError) -> UInt64? {
        work.run()
        if work.signals.isOver { return nil }
        let exchange: Exchange
        do throws(StoreError) {
            exchange = try work.read { $0.exchange }
        } catch {
            if work.signals.isOver { return nil }
            throw error
        }
        let left = exchange.missingLogs.reduce(into: UInt64(0)) { count, log in
            count += UInt64(log.content.chain.folds.count)
        }
        // What could not be folded is in no log, and values that found no room are in none either. A
        // container that cannot be listed is not known to have them.
        let isWhole = work.signals.status.failure == nil && (try? work.hasPutValues()) ?? false
        return isWhole ? left : max(left, 1)
    }

    /// Whether all that the file owes can be read in the container, as it was written or in a baseline; large
    /// values are looked for by their names, which tell their content.
    ///
    /// - Throws: `CarrierError` if the container cannot be reached.
    package func isReadBack() throws(CarrierError) -> Bool {
        // What cannot be read is not known to be there, so the file stays.
        guard let exchange = try? work.exchange else { return false }
        var baselines: Set<ObjectName> = []
        for log in exchange.outbox {
            if let bytes = try carrier.get(log.name) {
                if bytes != log.bytes { return false }
            } else {
                guard let names = exchange.baseline(with: log) else { return false }
                baselines.formUnion(names)
            }
        }
        for name in baselines {
            guard let bytes = try carrier.get(name) else { return false }
            // As above.
            if (try? ContainerObject(reading: bytes, named: name)) == nil { return false }
        }
        // As above.
        return (try? work.hasPutValues()) ?? false
    }

    /// Whether the container's content was removed, so that nothing can be brought there any more.
    package var isContainerGone: Bool {
        switch work.signals.status.condition {
        case .emptied, .replaced: true
        default: false
        }
    }

    /// Ends it: nothing of it touches the file once this returns; a call of the carrier may be under way.
    package func end() {
        let store = store.withLock { $0.take() }
        work.end()
        // A log that could not be moved into the file is read when that opens again.
        do throws(StoreError) { try store?.close() } catch { return }
    }
}
