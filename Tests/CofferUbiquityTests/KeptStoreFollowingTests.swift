import CofferContainer
import CofferLinux
import CofferUbiquity
import CofferWire
import TestSupport
import Testing

/// What stores do that follow the accounts.
struct KeptStoreFollowingTests {
    private let name = KeptStore.Name(application: "org.example", configuration: "Default", store: "Notes")

    /// A store that serves an account's own content, in place 1.
    private func live() -> KeptStore {
        var store = KeptStore(name, contentName: "N", now: 1)
        store.settle(1, hasFile: false, now: 1)
        _ = store.take(.small(1))
        return store
    }

    @Test func `whoever reads what is kept finds what a restart leaves`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            let accounts = { Accounts(in: folder, now: { 1 }, changed: { _ in }) }
            var store = live()
            for event in [StoreOccurrence.signedOut, .swapped(.local), .signedIn(2, isWhole: false)] {
                let actions = store.take(event)
                #expect(actions != nil)
                try accounts().keep(store)
                #expect(try accounts().stores() == [store.afterRestart])
            }
            #expect(store.question != nil && store.afterRestart.question == nil)
        }
    }

    @Test func `clients are asked once, and again where a service has begun anew`() {
        var store = live()
        let answers = [1, nil, nil, 2].map { (account: Int64?) in store.follow(account) }
        #expect(answers == [false, true, true, false], "the last is asked anew by whoever asks already")
        store = store.afterRestart
        let isAsked = store.follow(2)
        #expect(isAsked && store.question?.next == .fallback(of: 2))
    }

    @Test func `a file that was removed fills from the container again`() {
        var store = live()
        store.settle(1, hasFile: false, now: 2)
        #expect(store.state == .serving(.fallback(of: 1)))
    }

    @Test func `what a store had is joined once it is put aside, and its account is served`() {
        var store = live()
        #expect(store.rejoining(into: .live(of: 1)) == .nothing)
        let actions = store.take(.rebuild)
        #expect(actions != nil)
        #expect(store.rejoining(into: .live(of: 1)) == .nothing, "it is what is served")
        _ = store.beginAnew(for: 1, now: 2)
        let isSwapped = store.swap(to: .rebuilding(of: 1), now: 3)
        let built = store.take(.built(1))
        #expect(isSwapped && built != nil)
        let former = store.places.first { $0.role == .former }
        #expect(store.rejoining(into: .live(of: 1)) == .place(former))
        #expect(store.rejoining(into: .live(of: 2)) == .nothing)
        store.forgetRejoined(99)
        #expect(store.rejoined == former?.number)
        store.forgetRejoined(former?.number)
        #expect(store.rejoining(into: .live(of: 1)) == .nothing)
    }

    @Test func `what nobody owned is its account's before it is joined, and no other account's`() throws {
        var store = live()
        let local = try #require(store.current(of: nil))
        let kept = store.beginJoining(hasFile: true, now: 2)
        #expect(kept.isEmpty, "nobody wants it moved")
        store.localContent = .merge
        for hasFile in [false, true, true] {
            let joined = store.beginJoining(hasFile: hasFile, now: 3)
            #expect(joined.map(\.number) == (hasFile ? [local.number] : []))
        }
        // As if the service ended before it was joined.
        store = store.afterRestart
        store.settle(2, hasFile: false, now: 4)
        store.begin(for: 2, now: 4)
        let others = store.beginJoining(hasFile: true, now: 4)
        #expect(others.isEmpty && store.current(of: nil) == nil)
        store.settle(1, hasFile: true, now: 5)
        let again = store.beginJoining(hasFile: false, now: 5)
        #expect(again.map(\.number) == [local.number])
        store.noteJoined(local.number, now: 6)
        let left = store.beginJoining(hasFile: false, now: 7)
        let aside = store.places.filter { $0.role == .former }
        #expect(left.isEmpty && aside.map(\.number) == [local.number] && aside.first?.since == 6)
    }

    @Test func `an account's content is forgotten with all that it has here`() {
        var store = live()
        _ = store.add(for: 1, as: .building, now: 2)
        let other = store.add(for: 2, as: .current, now: 2)
        #expect(store.owingPlaces.map(\.account) == [1, 2])
        store.removeContent(of: 1, now: 3)
        #expect(store.contentName.isEmpty && !store.places.contains { $0.account == 1 })
        #expect(store.current(of: 2) == other)
    }

    @Test func `what is known of a container changes what it fills, and nothing else`() {
        let conditions: [ContainerCondition] = [
            .new, .there(.open), .there(.readOnly), .there(.full), .doubtful, .away, .emptied, .replaced,
            .newer(version: 9),
        ]
        for condition in conditions {
            for content in [ServedContent.local, .none, .fallback(of: 1)] {
                #expect(content.occurrence(in: condition, isWhole: true) == nil)
            }
            let isGone = condition == .emptied || condition == .replaced
            let gone = condition == .emptied ? StoreOccurrence.emptied(1) : .replaced(1)
            #expect(
                ServedContent.live(of: 1).occurrence(in: condition, isWhole: true) == (isGone ? gone : nil))
            for isWhole in [false, true] {
                let told = ServedContent.rebuilding(of: 1).occurrence(in: condition, isWhole: isWhole)
                #expect(told == (isGone ? gone : isWhole ? .built(1) : nil))
                let progress = [0, 1].map {
                    BuildingProgress(in: condition, isWhole: isWhole, listedCount: $0)
                }
                let whole: [BuildingProgress] =
                    isWhole && condition.isExchanged ? [.hasNothing, .isWhole] : [.fills, .fills]
                #expect(progress == (isGone ? [.isGone, .isGone] : whole))
            }
        }
    }
}
