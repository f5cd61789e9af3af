package import CofferContainer
internal import CofferWire

/// What a store does that follows the accounts; its owner sees that it is written down.
extension KeptStore {
    /// What is left of it when the service ends: a question that was not answered does not count any
    /// more, since the clients that were asked have gone with the service.
    package var afterRestart: KeptStore {
        var store = self
        store.state = .serving(state.served)
        store.forgetQuestion()
        return store
    }

    /// What clients are asked now; `nil` if nothing is to be exchanged.
    package var question: StoreQuestion? {
        if case .asking(let question) = state { question } else { nil }
    }

    /// Does what its application wants done with what no account owns, for an account that is to be served.
    package mutating func begin(for account: Int64, now: Double) {
        switch localContent {
        case .keep: break
        case .merge: giveLocal(to: account, isWhole: false, now: now)
        case .discard: retire(nil, now: now)
        }
    }

    /// Follows which account is signed in, while no client has the store open, and makes a place for what
    /// the store is served with if it has none.
    ///
    /// - Parameters:
    ///   - account: The account that is signed in.
    ///   - hasFile: Whether that account has a file of it: one whose file was removed fills from its
    ///     container again.
    ///   - now: The time.
    package mutating func settle(_ account: Int64?, hasFile: Bool, now: Double) {
        if let account, !hasFile { note(account, isWhole: false) }
        settle(account)
        _ = place(of: state.served, now: now)
    }

    /// Follows which account is signed in, while clients have the store open.
    ///
    /// - Returns: Whether clients are to be asked that were not asked yet.
    package mutating func follow(_ account: Int64?) -> Bool {
        let event: StoreOccurrence =
            account.map { .signedIn($0, isWhole: isWhole($0)) } ?? .signedOut
        let actions = take(event) ?? []
        return actions.isEmpty ? question != nil : actions.contains(where: \.isFirstQuestion)
    }

    /// What becomes of the place whose content is joined into what was made again.
    package enum Rejoining: Hashable, Sendable {
        /// None is to be joined, or not yet: its clients are asked, or it waits for its account.
        case nothing
        /// This is to be joined now; `nil` if its place is forgotten.
        case place(Place?)
    }

    /// What is joined into a store that serves this content, since it was made again.
    package func rejoining(into content: ServedContent?) -> Rejoining {
        guard let rejoined else { return .nothing }
        guard let place = places.first(where: { $0.number == rejoined }) else { return .place(nil) }
        return place.role == .former && place.account == content?.account ? .place(place) : .nothing
    }

    /// Notes that this was joined, or is not there to be joined.
    package mutating func forgetRejoined(_ number: Int64?) {
        if rejoined == number { rejoined = nil }
    }

    /// Gives what no account owns to the account whose own store is served and is to have it, before it
    /// is joined into that store.
    ///
    /// Wherever this is cut off, no other account has the content, and what is saved later with no
    /// account signed in is elsewhere.
    ///
    /// - Parameters:
    ///   - hasFile: Whether there is anything that no account owns.
    ///   - now: The time.
    /// - Returns: All places whose content is to be joined into what is served.
    package mutating func beginJoining(hasFile: Bool, now: Double) -> [Place] {
        guard case .serving(.live(let account)) = state else { return [] }
        if localContent == .merge, hasFile, let local = current(of: nil) {
            change(local.number) { ($0.account, $0.role, $0.since) = (account, .joining, now) }
        }
        return places.filter { $0.account == account && $0.role == .joining }
    }

    /// Notes that what no account owned is in the own store of the account that got it; its place is put
    /// aside.
    package mutating func noteJoined(_ number: Int64, now: Double) {
        change(number) { if $0.role == .joining { ($0.role, $0.since) = (.former, now) } }
    }

    /// The files that may owe something to a container of their account.
    package var owingPlaces: [Place] {
        places.filter { place in
            place.account != nil && (place.role == .current || place.role == .owing)
                && !path(of: place).isEmpty
        }
    }

    /// The files that an account has of the store's content; what is owed elsewhere does not count.
    package func contentPlaces(of account: Int64) -> [Place] {
        places.filter { $0.account == account && $0.owedPath == nil }
    }

    /// Forgets all that an account has of the content, whose files were deleted, and makes the store
    /// follow no account.
    package mutating func removeContent(of account: Int64, now: Double) {
        for place in contentPlaces(of: account) where place.role != .current { forget(place.number) }
        part(now: now)
    }
}

extension StoreAction {
    /// Whether clients are to be asked that were not asked before.
    package var isFirstQuestion: Bool {
        switch self {
        case .ask: true
        case .askAnew: false
        }
    }
}

extension ServedContent {
    /// What a store that is served with this is told of its container.
    ///
    /// - Parameters:
    ///   - condition: What is known of the container.
    ///   - isWhole: Whether everything that is known of in it is in the store.
    /// - Returns: What it is told; `nil` if nothing.
    package func occurrence(in condition: ContainerCondition, isWhole: Bool) -> StoreOccurrence? {
        switch (self, condition) {
        case (.live(let account), .emptied), (.rebuilding(let account), .emptied): .emptied(account)
        case (.live(let account), .replaced), (.rebuilding(let account), .replaced): .replaced(account)
        case (.rebuilding(let account), _): isWhole ? .built(account) : nil
        case (.local, _), (.fallback, _), (.live, _), (.none, _): nil
        }
    }
}
