import CofferUbiquity
import CofferWire
import Testing

/// Each pair of state and event of a store whose content follows the accounts.
struct StoreStateTests {
    private static let contents: [ServedContent] = [
        .local, .fallback(of: 1), .live(of: 1), .rebuilding(of: 1), .none,
    ]
    private static let question = StoreQuestion(
        former: .live(of: 1), next: .local, kind: .accountRemoved, number: 6)
    private static let events: [StoreOccurrence] = [
        .signedIn(1, isWhole: true), .signedIn(1, isWhole: false), .signedIn(2, isWhole: true),
        .signedIn(2, isWhole: false), .signedOut, .small(1), .small(2), .built(1), .built(2),
        .swapped(.local), .swapped(.live(of: 2)), .failed, .emptied(1), .emptied(2), .replaced(1),
        .replaced(2), .rebuild, .removed, .added(nil), .added(1),
    ]

    /// What a content asks for on an event; `nil` if nothing is to be asked.
    private static func next(
        _ content: ServedContent, _ event: StoreOccurrence
    ) -> (ServedContent, StoreTransitionMessage.Kind)? {
        if content == .none { return nil }
        switch event {
        case .signedIn(let account, let isWhole):
            if content.account == account { return nil }
            return (isWhole ? .live(of: account) : .fallback(of: account), .accountAdded)
        case .signedOut: return content == .local ? nil : (.local, .accountRemoved)
        case .built(1): return content == .fallback(of: 1) ? (.live(of: 1), .initialImportCompleted) : nil
        case .emptied(1):
            return content == .live(of: 1) || content == .rebuilding(of: 1)
                ? (.rebuilding(of: 1), .contentRemoved) : nil
        case .replaced(1):
            return content == .live(of: 1) || content == .rebuilding(of: 1)
                ? (.fallback(of: 1), .contentRemoved) : nil
        case .rebuild: return content == .live(of: 1) ? (.rebuilding(of: 1), .contentRemoved) : nil
        case .removed: return (.none, .contentRemoved)
        case .small, .built, .swapped, .failed, .emptied, .replaced, .added: return nil
        }
    }

    @Test(arguments: contents, events)
    func `what is served changes by a question alone, unless nobody can notice`(
        content: ServedContent, event: StoreOccurrence
    ) {
        let result = StoreState.serving(content).transition(on: event, question: 7)
        if let (next, kind) = Self.next(content, event) {
            let question = StoreQuestion(former: content, next: next, kind: kind, number: 7)
            #expect(result?.next == .asking(question))
            #expect(result?.actions == [.ask(question)])
            return
        }
        switch (content, event) {
        case (.fallback, .small(1)):
            #expect(result?.next == .serving(.live(of: 1)))
            #expect(result?.actions == [])
        case (.rebuilding, .small(1)), (.rebuilding, .built(1)):
            #expect(result?.next == .serving(.live(of: 1)))
            #expect(result?.actions == [])
        case (.none, .added(let account)):
            #expect(result?.next == .serving(account.map { .fallback(of: $0) } ?? .local))
        default: #expect(result == nil)
        }
    }

    @Test(arguments: events)
    func `while clients are asked, the last account alone counts`(event: StoreOccurrence) {
        let result = StoreState.asking(Self.question).transition(on: event, question: 7)
        func expectAnew(_ next: ServedContent, _ kind: StoreTransitionMessage.Kind) {
            let question = StoreQuestion(former: .live(of: 1), next: next, kind: kind, number: 7)
            #expect(result?.next == .asking(question))
            #expect(result?.actions == [.askAnew(question)])
        }
        switch event {
        case .signedIn(let account, let isWhole):
            expectAnew(isWhole ? .live(of: account) : .fallback(of: account), .accountAdded)
        case .removed: expectAnew(.none, .contentRemoved)
        case .swapped(.local): #expect(result?.next == .serving(.local))
        case .failed: #expect(result?.next == .serving(.live(of: 1)))
        default: #expect(result == nil)
        }
    }

    @Test func `whoever comes back while clients are asked is asked for, too`() {
        let back = StoreState.asking(Self.question).transition(on: .signedIn(1, isWhole: true), question: 7)
        #expect(back?.next.wanted == .live(of: 1) && back?.next.served == .live(of: 1))
        let settled = back?.next.transition(on: .swapped(.live(of: 1)), question: 8)
        #expect(settled?.next == .serving(.live(of: 1)))
        // What was prepared for another account comes too late.
        #expect(back?.next.transition(on: .swapped(.local), question: 8) == nil)
    }
}
