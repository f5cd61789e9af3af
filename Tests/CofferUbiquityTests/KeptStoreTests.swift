import CofferLinux
import CofferUbiquity
import CofferWire
import TestSupport
import Testing

/// What the accounts' database keeps of stores.
struct KeptStoreTests {
    private let name = KeptStore.Name(application: "org.example", configuration: "Default", store: "Notes")

    private func accounts(_ folder: Folder) -> Accounts {
        Accounts(in: folder, now: { 1 }, changed: { _ in })
    }

    @Test func `a store is kept with its places, and a question that was not answered is none`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            #expect(try accounts(folder).stores() == [])
            #expect(try folder.names() == [])
            var store = KeptStore(name, contentName: "N", now: 1)
            store.localContent = .merge
            store.settle(3)
            #expect(store.state == .serving(.fallback(of: 3)))
            let place = store.place(of: store.state.served, now: 2)
            #expect(store.take(.small(3)) != nil && store.isWhole(3))
            try accounts(folder).keep(store)
            #expect(try accounts(folder).stores() == [store])
            let served = store.state
            #expect(store.take(.signedOut) != nil && store.lastQuestion > 0)
            let building = store.add(for: 4, as: .building, now: 4)
            store.rejoin(as: "N", at: ContentLocation(container: "C", folder: "a/b"), now: 4)
            try accounts(folder).keep(store)
            let again = try #require(try accounts(folder).stores().first)
            #expect(again.state == served && again.lastQuestion == store.lastQuestion)
            #expect(again.current(of: 3)?.number == place.number)
            #expect(again.building(for: 4) == building && again.current(of: nil)?.number == 0)
            #expect(again.path == "C/a/b/N")
        }
    }

    @Test func `what was to begin anew is put aside where nobody answered, and nothing is joined`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            var store = KeptStore(name, contentName: "N", now: 1)
            store.settle(3)
            _ = store.place(of: store.state.served, now: 2)
            _ = store.take(.small(3))
            let begun = store.beginAnew(for: 3, now: 3).place
            #expect(store.take(.rebuild) != nil && store.rejoined != nil)
            try accounts(folder).keep(store)
            _ = store.take(.failed)
            for store in [store] + (try accounts(folder).stores()) {
                #expect(store.state == .serving(.live(of: 3)))
                #expect(store.rejoined == nil && store.building(for: 3) == nil)
                #expect(store.places.first { $0.number == begun.number }?.role == .former)
            }
        }
    }

    @Test func `the folder of a place is the same after a restart, and of each place another`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            let other = KeptStore.Name(application: "org.example", configuration: "Default", store: "Other")
            let names = try (1...3).flatMap { place in
                try [name, other].map { try accounts(folder).folderName(of: Int64(place), of: $0) }
            }
            #expect(Set(names).count == 6)
            #expect(try accounts(folder).folderName(of: 1, of: name) == names[0])
        }
    }

    @Test func `what nobody owned becomes an account's once, and what is built takes its place`() throws {
        var store = KeptStore(name, contentName: "N", now: 1)
        store.giveLocal(to: 1, isWhole: false, now: 2)
        store.giveLocal(to: 2, isWhole: false, now: 3)
        #expect(store.current(of: 1)?.number == 0)
        #expect(store.current(of: nil) == nil && store.current(of: 2) == nil)
        #expect(store.place(of: .local, now: 4).number == 1)
        let built = store.add(for: 1, as: .building, now: 5)
        store.finishBuilding(for: 1, now: 6)
        #expect(store.current(of: 1)?.number == built.number && store.isWhole(1))
        #expect(store.places.filter { $0.role == .former }.map(\.number) == [0])
    }

    @Test func `what is removed was served, and accounts keep theirs if the store is called as it was`()
        throws
    {
        for name in ["N", "Other"] {
            var store = KeptStore(self.name, contentName: "N", now: 1)
            _ = (store.add(for: 1, as: .current, now: 2), store.add(for: 2, as: .current, now: 2))
            store.note(1, isWhole: true)
            store.settle(1)
            store.part(now: 3)
            #expect(store.contentName.isEmpty && store.current(of: 1) == nil)
            #expect(store.current(of: 2)?.number == 2 && store.current(of: nil)?.number == 3)
            #expect(store.places.filter { $0.role == .former }.map(\.number) == [0])
            try withTemporaryFolder { path in
                let folder = try Folder(at: path)
                try accounts(folder).keep(store)
                #expect(try accounts(folder).stores() == [store])
            }
            store.rejoin(as: name, at: ContentLocation(), now: 4)
            #expect(store.current(of: 2)?.number == (name == "N" ? 2 : nil))
        }
    }

    @Test func `what accounts have of a store that is called otherwise is owed where its content was`() throws
    {
        var store = KeptStore(name, contentName: "N", now: 1)
        let building = store.add(for: 2, as: .building, now: 2)
        _ = (store.add(for: 1, as: .current, now: 2), store.add(for: 2, as: .current, now: 2))
        store.note(1, isWhole: true)
        store.settle(1)
        store.part(keepsOwing: true, now: 3)
        store.rejoin(as: "Other", at: ContentLocation(), now: 4)
        store.settle(1)
        let next = store.place(of: store.state.served, now: 5)
        #expect(
            store.owingPlaces.map { store.path(of: $0) } == [
                "org.example/N", "org.example/N", "org.example/Other",
            ])
        #expect(store.places.first { $0.number == building.number }?.role == .former)
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            try accounts(folder).keep(store)
            #expect(try accounts(folder).stores() == [store])
        }
        // What it has elsewhere does not belong to the content that is removed.
        #expect(store.contentPlaces(of: 1) == [next])
        store.removeContent(of: 1, now: 6)
        store.rejoin(as: "Third", at: ContentLocation(), now: 7)
        #expect(store.owingPlaces.map { store.path(of: $0) } == ["org.example/N", "org.example/N"])
    }

    @Test func `an account's store begins anew in a place of its own, and the former is put aside`() throws {
        for (event, next) in [
            (StoreOccurrence.emptied(1), ServedContent.rebuilding(of: 1)), (.rebuild, .rebuilding(of: 1)),
            (.replaced(1), .fallback(of: 1)),
        ] {
            var store = KeptStore(name, contentName: "N", now: 1)
            store.settle(1)
            let former = store.place(of: store.state.served, now: 2)
            #expect(store.take(.small(1)) != nil)
            let left = store.add(for: 1, as: .building, now: 3)
            #expect(store.take(event) != nil)
            // As if it had been cut off the first time.
            let first = store.beginAnew(for: 1, now: 4)
            let (place, dropped) = store.beginAnew(for: 1, now: 5)
            #expect(first.dropped == [left] && dropped == [first.place])
            #expect(store.current(of: 1)?.number == former.number)
            let isLate = store.swap(to: .local, now: 6)
            let isSwapped = store.swap(to: next, now: 7)
            #expect(!isLate && isSwapped)
            #expect(store.state == .serving(next))
            #expect(store.current(of: 1)?.number == place.number && !store.isWhole(1))
            let aside = try #require(store.places.first { $0.role == .former })
            #expect(aside.number == former.number && aside.since == 7)
            #expect(store.take(next == .rebuilding(of: 1) ? .built(1) : .small(1)) != nil)
            #expect(store.state == .serving(.live(of: 1)) && store.isWhole(1))
        }
    }

    @Test func `what is half built takes nobody's place when the account is signed in to again`() throws {
        var store = KeptStore(name, contentName: "N", now: 1)
        store.settle(1)
        let served = store.place(of: store.state.served, now: 2)
        let building = store.add(for: 1, as: .building, now: 3)
        store.note(1, isWhole: true)
        store.settle(nil)
        #expect(store.take(.signedIn(1, isWhole: true)) != nil)
        let isSwapped = store.swap(to: .live(of: 1), now: 4)
        #expect(isSwapped)
        #expect(store.current(of: 1)?.number == served.number && store.building(for: 1) == building)
    }

    @Test func `nothing is built beside what became the account's own store`() throws {
        var store = KeptStore(name, contentName: "N", now: 1)
        store.settle(1)
        let served = store.place(of: store.state.served, now: 2)
        let building = store.add(for: 1, as: .building, now: 3)
        #expect(store.take(.small(1)) != nil)
        #expect(store.current(of: 1)?.number == served.number && store.building(for: 1) == nil)
        #expect(store.places.first { $0.number == building.number }?.role == .former)
    }

    @Test func `what a store was made anew from is not joined into one that is called otherwise`() throws {
        for name in ["N", "Other"] {
            var store = KeptStore(self.name, contentName: "N", now: 1)
            store.settle(1)
            let served = store.place(of: store.state.served, now: 2)
            #expect(store.take(.small(1)) != nil)
            #expect(store.take(.rebuild) != nil)
            #expect(store.rejoined == served.number)
            store.part(now: 3)
            store.rejoin(as: name, at: ContentLocation(), now: 4)
            #expect(store.rejoined == (name == "N" ? served.number : nil))
        }
    }
}
