package import CofferWire

/// What the accounts' database keeps of a store with a ubiquitous content name.
package struct KeptStore: Hashable, Sendable {
    /// Whose it is, and what it is called.
    package struct Name: Hashable, Sendable {
        package let application: String
        package let configuration: String
        package let store: String

        /// A store's name from its parts.
        package init(application: String, configuration: String, store: String) {
            (self.application, self.configuration, self.store) = (application, configuration, store)
        }
    }

    /// A file of the store: number 0 lies where a store without accounts does, each other one in an opaque
    /// folder of its own beside it.
    package struct Place: Hashable, Sendable {
        /// What it is for.
        package enum Role: Int64, Sendable {
            /// It is what its account is served with, or what is served without an account.
            case current = 0
            /// It is being built, unseen, to take that place.
            case building = 1
            /// It had that place, and is kept for a while.
            case former = 2
            /// The store was removed, and it is kept until its container has all that was written in it.
            case owing = 3
            /// It belonged to no account, and its account's own store is to have it.
            case joining = 4
        }

        package let number: Int64
        /// The account that it belongs to; `nil` for what is saved while no account is signed in.
        package var account: Int64?
        package var role: Role
        /// Whether the account's own store was complete in it; else it serves meanwhile.
        package var isWhole: Bool
        /// Since when it has its role, in seconds since 2001-01-01 UTC.
        package var since: Double
        /// Where below its account's folder it owes what was written in it, if that is elsewhere than the
        /// store's content is now.
        package var owedPath: String?

        /// A place from its parts.
        package init(
            number: Int64, account: Int64?, role: Role, isWhole: Bool, since: Double, owedPath: String? = nil
        ) {
            (self.number, self.account, self.role) = (number, account, role)
            (self.isWhole, self.since, self.owedPath) = (isWhole, since, owedPath)
        }
    }

    package let name: Name
    /// What it is called in containers; empty if its content follows no account any more.
    package private(set) var contentName: String
    /// Where that is in accounts' folders.
    package private(set) var location = ContentLocation()
    /// What it was called when its content followed the accounts last, and where that was; the name is
    /// empty while it follows them.
    private(set) var parted = Parted()
    /// The number of the place whose content is joined into what is served once that is the account's own:
    /// it was rebuilt, and the former file may have what was not exported.
    package var rejoined: Int64?
    /// Where it is in its life.
    package var state = StoreState.serving(.local)
    /// The number of its last question.
    package var lastQuestion: UInt64 = 0
    /// What becomes of what was saved while no account was signed in.
    package var localContent = LocalContentMessage.keep
    package private(set) var places: [Place]
    /// The number of the last place that was given out.
    package private(set) var lastPlace: Int64

    /// A store that has just got its content name: what there is of it belongs to no account.
    package init(_ name: Name, contentName: String, now: Double) {
        (self.name, self.contentName) = (name, contentName)
        places = [Place(number: 0, account: nil, role: .current, isWhole: true, since: now)]
        lastPlace = 0
    }

    /// A store as it was kept.
    init(_ name: Name, contentName: String, places: [Place], lastPlace: Int64) {
        (self.name, self.contentName) = (name, contentName)
        (self.places, self.lastPlace) = (places, lastPlace)
    }

    /// What a store was called that follows the accounts no more.
    struct Parted: Hashable, Sendable {
        var name = ""
        var location = ContentLocation()
    }

    /// Takes what is kept of it besides.
    mutating func restore(location: ContentLocation, parted: Parted, rejoined: Int64?) {
        (self.location, self.parted, self.rejoined) = (location, parted, rejoined)
    }
}

extension KeptStore {
    /// Makes the content of a store follow the accounts, if the store is new or follows no account any more.
    ///
    /// What accounts had of it is theirs still if it is called as it was. Else it is kept until it was
    /// brought to where the content was, and what was not shared yet is put aside.
    package mutating func rejoin(as contentName: String, at location: ContentLocation, now: Double) {
        let known = Parted(name: contentName, location: location)
        if !parted.name.isEmpty, parted != known {
            rejoined = nil
            let path = lastPath
            change { place in
                guard place.account != nil, place.role != .former, place.owedPath == nil else { return }
                let owes = place.role == .current || place.role == .owing
                (place.role, place.owedPath) = owes ? (.owing, path) : (.former, nil)
                place.since = now
            }
        }
        (self.contentName, self.location, parted) = (contentName, location, Parted())
        let present = path
        change { if $0.owedPath == present { $0.owedPath = nil } }
    }

    /// Makes the content of the store follow no account from now on, since what it was served with was
    /// removed.
    ///
    /// A store that is made of its name later begins from the start, and what other accounts have of it
    /// stays theirs.
    ///
    /// What was served is forgotten, unless it is an account's and `keepsOwing` says that its file is there
    /// until its container has what was written in it.
    package mutating func part(keepsOwing: Bool = false, now: Double) {
        let account = state.served.account
        if keepsOwing, account != nil {
            change { place in
                guard place.account == account, place.role == .current else { return }
                (place.role, place.since) = (.owing, now)
            }
        }
        places.removeAll { $0.account == account && $0.role == .current }
        change { place in
            guard place.role != .former, place.role != .owing else { return }
            if place.account == nil || place.account == account { (place.role, place.since) = (.former, now) }
        }
        parted = Parted(name: contentName, location: location)
        (contentName, location, state) = ("", ContentLocation(), .serving(.local))
        _ = add(for: nil, as: .current, now: now)
    }

    /// Where its content is below an account's folder.
    package var path: String { location.path(of: contentName, for: name.application) }

    /// Where that is, or was when its content followed the accounts last; empty if it never did.
    package var lastPath: String {
        if !contentName.isEmpty { return path }
        return parted.name.isEmpty ? "" : parted.location.path(of: parted.name, for: name.application)
    }

    /// Where below its account's folder what a file owes is brought; empty if that is nowhere.
    package func path(of place: Place) -> String { place.owedPath ?? lastPath }

    /// Where the file is that an account is served with, or that is served without one.
    package func current(of account: Int64?) -> Place? {
        places.first { $0.account == account && $0.role == .current }
    }

    /// Where an account's own store is being built.
    package func building(for account: Int64) -> Place? {
        places.first { $0.account == account && $0.role == .building }
    }

    /// Whether an account's own store is here and was complete.
    package func isWhole(_ account: Int64) -> Bool { current(of: account)?.isWhole ?? false }

    /// Where the file of a content is; made up if there is none yet.
    package mutating func place(of content: ServedContent, now: Double) -> Place {
        if let place = current(of: content.account) { return place }
        return add(for: content.account, as: .current, now: now)
    }

    /// A new place.
    package mutating func add(for account: Int64?, as role: Place.Role, now: Double) -> Place {
        lastPlace += 1
        let place = Place(number: lastPlace, account: account, role: role, isWhole: false, since: now)
        places.append(place)
        return place
    }

    /// Notes that what an account is served with is its own complete store, or no longer.
    package mutating func note(_ account: Int64, isWhole: Bool) {
        change { place in
            if place.account == account, place.role == .current { place.isWhole = isWhole }
        }
    }

    /// Gives what no account owns to an account that has nothing here yet; what is saved from then on
    /// while no account is signed in goes elsewhere.
    package mutating func giveLocal(to account: Int64, isWhole: Bool, now: Double) {
        guard current(of: account) == nil else { return }
        change { place in
            guard place.account == nil, place.role == .current else { return }
            (place.account, place.isWhole, place.since) = (account, isWhole, now)
        }
    }

    /// Puts aside what an account is served with, or what is served without one.
    package mutating func retire(_ account: Int64?, now: Double) {
        change { place in
            guard place.account == account, place.role == .current else { return }
            (place.role, place.since) = (.former, now)
        }
    }

    /// Makes what was built take the place of what served meanwhile, which is put aside.
    package mutating func finishBuilding(for account: Int64, isWhole: Bool = true, now: Double) {
        guard building(for: account) != nil else { return }
        retire(account, now: now)
        change { place in
            guard place.account == account, place.role == .building else { return }
            (place.role, place.isWhole, place.since) = (.current, isWhole, now)
        }
    }

    /// Begins an account's store again, beside what serves, with nothing in it.
    ///
    /// - Returns: Where it is, and what was begun before, whose files are to be deleted.
    package mutating func beginAnew(for account: Int64, now: Double) -> (place: Place, dropped: [Place]) {
        let dropped = dropBuilding(for: account)
        return (add(for: account, as: .building, now: now), dropped)
    }

    /// Forgets what was begun of an account's own store.
    ///
    /// - Returns: Where it is, for its files to be deleted.
    package mutating func dropBuilding(for account: Int64) -> [Place] {
        let dropped = places.filter { $0.account == account && $0.role == .building }
        for place in dropped { forget(place.number) }
        return dropped
    }

    /// Puts aside what was begun of an account's own store.
    private mutating func giveUpBuilding(for account: Int64) {
        change { place in
            if place.account == account, place.role == .building { place.role = .former }
        }
    }

    /// Puts a file aside that owes something to a container that is gone.
    package mutating func giveUpOwing(_ number: Int64, now: Double) {
        change { place in
            guard place.number == number, place.role == .owing else { return }
            (place.role, place.since, place.owedPath) = (.former, now, nil)
        }
    }

    /// Forgets a place whose file is gone.
    package mutating func forget(_ number: Int64) { places.removeAll { $0.number == number } }

    /// Changes one place.
    mutating func change(_ number: Int64, _ body: (inout Place) -> Void) {
        change { if $0.number == number { body(&$0) } }
    }

    private mutating func change(_ body: (inout Place) -> Void) {
        for index in places.indices { body(&places[index]) }
    }
}

extension KeptStore {
    /// Takes something that happens to the store.
    ///
    /// - Returns: What is to be done; `nil` if it means nothing in this state.
    package mutating func take(_ event: StoreOccurrence) -> [StoreAction]? {
        // The joining with what it had before it was last made again comes first.
        if case .rebuild = event, isRejoining { return nil }
        guard let (next, actions) = state.transition(on: event, question: lastQuestion + 1) else {
            return nil
        }
        switch event {
        case .rebuild: rejoined = current(of: state.served.account)?.number
        case .failed: forgetQuestion()
        // What was removed is not put back.
        case .emptied, .replaced, .removed: rejoined = nil
        // Nothing is built beside what is the account's own store now.
        case .small(let account): giveUpBuilding(for: account)
        default: break
        }
        state = next
        if case .asking(let question) = next { lastQuestion = question.number }
        // What served meanwhile is the account's own store from now on.
        if case .serving(.live(let account)) = next { note(account, isWhole: true) }
        return actions
    }

    /// Forgets what was begun for a question that came to nothing.
    ///
    /// What an account's own store was to begin again with is put aside: later it would be out of date.
    mutating func forgetQuestion() {
        switch state.served {
        case .live(let account), .rebuilding(let account): giveUpBuilding(for: account)
        case .local, .fallback, .none: break
        }
        dropRejoined()
    }

    /// Joins nothing that is served still: what was to take its place did not come.
    private mutating func dropRejoined() {
        if places.contains(where: { $0.number == rejoined && $0.role == .current }) { rejoined = nil }
    }

    /// Whether what is served waits to be joined with what it had before it was made again.
    package var isRejoining: Bool {
        places.contains { $0.number == rejoined && $0.account == state.served.account }
    }

    /// Serves another content in the place of what clients were asked to let go.
    ///
    /// - Returns: Whether that is still wanted.
    package mutating func swap(to content: ServedContent, now: Double) -> Bool {
        guard case .asking(let question) = state, take(.swapped(content)) != nil else { return false }
        if let account = content.account {
            // What else was begun, and not ended, has nothing to do with it.
            if question.isAnew {
                finishBuilding(for: account, isWhole: question.next == .live(of: account), now: now)
            } else if question.kind == .initialImportCompleted {
                finishBuilding(for: account, now: now)
            }
        }
        dropRejoined()
        return true
    }

    /// Begins an account's store again, to be filled from its container, while no client has it open.
    ///
    /// - Returns: What was begun so before, whose files are to be deleted.
    package mutating func rebuild(now: Double) -> [Place] {
        guard case .serving(.live(let account)) = state, !isRejoining else { return [] }
        let dropped = beginAnew(for: account, now: now).dropped
        _ = beginFromBuilding(now: now)
        return dropped
    }

    /// Serves what an account's store was begun again with, while no client has it open.
    ///
    /// - Returns: Whether it does.
    package mutating func beginFromBuilding(now: Double) -> Bool {
        guard case .serving(.live(let account)) = state, building(for: account) != nil,
            take(.rebuild) != nil, case .asking(let question) = state
        else { return false }
        return swap(to: question.next, now: now)
    }

    /// Follows which account is signed in, while no client has the store open and so none is asked.
    package mutating func settle(_ account: Int64?) {
        if case .asking = state { _ = take(.failed) }
        if case .serving(.none) = state { _ = take(.added(account)) }
        if let account {
            _ = take(.signedIn(account, isWhole: isWhole(account)))
        } else {
            _ = take(.signedOut)
        }
        if case .asking(let question) = state { _ = take(.swapped(question.next)) }
        // Its file was removed, and fills again.
        if case .serving(.live(let account)) = state, !isWhole(account) {
            state = .serving(.fallback(of: account))
        }
    }
}
