package import CofferContainer
internal import CofferLinux
package import CofferStores
internal import Synchronization

/// Looks how much an account's container holds, without touching a store, until that is known.
///
/// Shared. One thread of its own looks, which a carrier may keep for long; it ends with this.
package final class ContainerLookout: Sendable {
    /// What was found out.
    package enum Finding: Hashable, Sendable {
        /// It cannot be reached, or is not this account's.
        case unreachable
        /// No peer has begun it, or its content was removed.
        case empty
        /// It holds little: a store is filled from it in a moment.
        case small
        /// It holds so many logs and baselines.
        case large(Int)
    }

    private let state: State
    private let pulse: ContainerPulse

    /// Looks from now on.
    ///
    /// - Parameters:
    ///   - carrier: Where the container is.
    ///   - root: The account's.
    ///   - pauses: How often it is looked.
    ///   - retry: How soon it is looked again if it cannot be reached.
    ///   - body: Told each time; gives whether that is enough.
    /// - Throws: `StoreError` if there is no thread to be had.
    package init(
        _ carrier: any ContainerCarrier, of root: ContainerID, pauses: ContainerPulse.Pauses,
        retry: Duration = .seconds(5), _ body: @escaping @Sendable (Finding) -> Bool
    ) throws(StoreError) {
        let state = State()
        self.state = state
        do throws(LinuxError) {
            pulse = try ContainerPulse(carrier, pauses: pauses) { _ in
                if state.isOver { return nil }
                let finding = Self.look(at: carrier, of: root)
                if state.note(finding, isEnough: body(finding)) { return nil }
                return finding == .unreachable ? retry : nil
            }
        } catch {
            throw StoreError(error)
        }
    }

    /// What the thread shares with everybody else.
    private final class State: Sendable {
        private let content = Mutex<(finding: Finding?, isOver: Bool)>((nil, false))

        var isOver: Bool { content.withLock { $0.isOver } }
        var finding: Finding? { content.withLock { $0.finding } }

        func reopen() { content.withLock { $0.isOver = false } }

        func note(_ finding: Finding, isEnough: Bool) -> Bool {
            content.withLock {
                $0 = (finding, isEnough)
                return isEnough
            }
        }
    }

    /// What was found out last; `nil` before the first look ended.
    package var finding: Finding? { state.finding }

    /// Looks again, though that was enough.
    package func lookAgain() {
        state.reopen()
        pulse.hurry()
    }

    private static func look(at carrier: any ContainerCarrier, of root: ContainerID) -> Finding {
        do throws(CarrierError) {
            let sighting = try carrier.look()
            if let finding = Finding(sighting, of: root) { return finding }
            var (logs, baselines) = (0, 0)
            for name in try carrier.list().objects {
                switch name.identity {
                case .log: logs += 1
                case .baseline: baselines += 1
                default: break
                }
            }
            return Finding(logCount: logs, baselineCount: baselines)
        } catch {
            return .unreachable
        }
    }
}

extension ContainerLookout.Finding {
    /// How many logs a container may hold that a store in use is filled from.
    private static let smallCount = 8

    /// What a sighting alone tells; `nil` if what is there has to be looked at.
    package init?(_ sighting: ContainerSighting, of root: ContainerID) {
        // A disk that is not mounted looks like an empty folder.
        if !sighting.rootMarkers.contains(root) {
            self = .unreachable
        } else if sighting.folder.map({ !$0.removedMarkers.isEmpty && $0.liveMarkers.isEmpty }) ?? true {
            // No store is filled from what is left of content that was removed.
            self = .empty
        } else {
            return nil
        }
    }

    /// What so many logs and baselines tell.
    package init(logCount: Int, baselineCount: Int) {
        let isSmall = baselineCount == 0 && logCount <= Self.smallCount
        self = isSmall ? .small : .large(logCount + baselineCount)
    }
}
