import CofferModel

extension ManagedObjectContext {
    /// The state of the stores that the context has pinned; `nil` if it reads the present one.
    ///
    /// Another context of the same container may pin it too:
    /// `other.setQueryGeneration(from: context.queryGenerationToken)`.
    public var queryGenerationToken: QueryGenerationToken? { pinned.map { QueryGenerationToken(pinned: $0) } }

    /// Pins the present state of the stores (`.current`), that of a token, or none (`nil`).
    ///
    /// From then on everything that the context fetches and every fault and relationship that it reads is as
    /// the stores were at that moment, whatever others save; what others save is not merged until the context
    /// moves on. It moves on when this is called again. It also moves on to the present state with each
    /// `save()`, so that it sees what it wrote; if that state cannot be pinned, the context is unpinned. When
    /// it moves on, objects without changes become faults, and those with changes read again what they did
    /// not change. Objects that were read before a state was pinned keep their values, until one of them
    /// reads a value that it lacks: then all of it is as in that state.
    ///
    /// With several stores each is pinned by itself, one after the other. A service keeps four states a
    /// store, each for a minute at least, and until another needs its place; but a state is given up once 128
    /// MB were written into the store since it was pinned, and all are once the store's log has 512 MB: then
    /// reading throws `.generationExpired`, or a plain accessor notes it in `lastFaultError`, and nothing
    /// else is lost. (Core Data lets the log grow as long as anybody has a state pinned.) With a
    /// `wal_autocheckpoint` below 1,000 the two are less in proportion. A child reads what its parent does;
    /// it cannot pin.
    /// - Throws: `.refused` with reason `too_many_generations` if the store has no room; the context then
    ///   stays as it was. `.unknown` for a token of another container's stores, and in a child.
    public func setQueryGeneration(from token: QueryGenerationToken?) throws(CofferError) {
        guard link == nil else { throw .unknown(kind: "query generation", name: "of a child context") }
        guard let token else { return move(to: nil) }
        if let pinned = token.pinned {
            guard pinned.coordinator === coordinator else {
                throw .unknown(kind: "query generation", name: "of other stores")
            }
            return move(to: pinned)
        }
        refreshStores()
        move(to: try PinnedStores(registry.stores, of: coordinator))
    }

    /// Pins the present state after a save of the context, which the former one does not show.
    ///
    /// What was saved is saved: if the present state cannot be pinned, the context reads it unpinned.
    func renewGeneration() {
        pin(nil)
        do throws(CofferError) {
            pin(try PinnedStores(registry.stores, of: coordinator))
        } catch {
            lastFaultError = error
        }
    }

    /// Takes in what others saved before the renewed state, once the application was told of the own save;
    /// its objects have their values until then.
    func followGeneration() {
        mergePendingChanges()
        forgetFormerState()
    }

    /// Reads the present state from now on: the pinned one was of stores that no longer exist.
    func giveUpGeneration() { if pinned != nil { pin(nil) } }

    private func pin(_ next: PinnedStores?) {
        pinned = next
        tree.pinned = next
        generations = registry.stores.map { next?.generations[$0.handle] ?? 0 }
    }

    private func move(to next: PinnedStores?) {
        if next === pinned { return }
        let wasPinned = pinned != nil
        pinned = nil
        mergePendingChanges()
        pin(next)
        if wasPinned { forgetFormerState() }
    }

    private func forgetFormerState() {
        registry.forgetReadAhead()
        for object in registry.objects where object.mayBeStale { forgetStored(object) }
    }

    /// The number of the pinned state in requests to a store, in a child that of the root; 0 if no state is
    /// pinned.
    @inline(__always)
    func generation(of store: Int16) -> UInt64 {
        if link != nil { return tree.pinned?.generations[registry.stores[Int(store)].handle] ?? 0 }
        return pinned == nil || Int(store) >= generations.count ? 0 : generations[Int(store)]
    }
}
