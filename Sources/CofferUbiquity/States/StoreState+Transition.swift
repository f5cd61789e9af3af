internal import CofferWire

extension StoreState {
    /// The next state and what its owner must do, or `nil` if `event` means nothing here.
    package func transition(
        on event: StoreOccurrence, question number: UInt64
    ) -> (next: StoreState, actions: [StoreAction])? {
        switch self {
        case .serving(let content): content.transition(on: event, question: number)
        case .asking(let question): question.transition(on: event, question: number)
        }
    }
}

extension ServedContent {
    /// Asks clients for the exchange of this content.
    private func asking(
        for next: ServedContent, _ kind: StoreTransitionMessage.Kind, _ number: UInt64
    ) -> (StoreState, [StoreAction]) {
        let question = StoreQuestion(former: self, next: next, kind: kind, number: number)
        return (.asking(question), [.ask(question)])
    }

    fileprivate func transition(
        on event: StoreOccurrence, question number: UInt64
    ) -> (next: StoreState, actions: [StoreAction])? {
        switch self {
        case .local: local(event, number)
        case .fallback(let account): fallback(of: account, event, number)
        case .live(let account): live(of: account, event, number)
        case .rebuilding(let account): rebuilding(of: account, event, number)
        case .none: none(event)
        }
    }

    private func local(
        _ event: StoreOccurrence, _ number: UInt64
    ) -> (next: StoreState, actions: [StoreAction])? {
        switch event {
        case .signedIn(let account, let isWhole):
            asking(for: .of(account, isWhole: isWhole), .accountAdded, number)
        case .removed: asking(for: .none, .contentRemoved, number)
        case .signedOut, .small, .built, .swapped, .failed, .emptied, .replaced, .rebuild, .added: nil
        }
    }

    private func fallback(
        of account: Int64, _ event: StoreOccurrence, _ number: UInt64
    ) -> (next: StoreState, actions: [StoreAction])? {
        switch event {
        case .signedIn(let other, let isWhole):
            other == account ? nil : asking(for: .of(other, isWhole: isWhole), .accountAdded, number)
        case .signedOut: asking(for: .local, .accountRemoved, number)
        case .small(let other): other == account ? (.serving(.live(of: account)), []) : nil
        case .built(let other):
            other == account ? asking(for: .live(of: account), .initialImportCompleted, number) : nil
        case .removed: asking(for: .none, .contentRemoved, number)
        // It is not filled from there yet, so nothing of it is gone.
        case .emptied, .replaced, .rebuild: nil
        case .swapped, .failed, .added: nil
        }
    }

    private func live(
        of account: Int64, _ event: StoreOccurrence, _ number: UInt64
    ) -> (next: StoreState, actions: [StoreAction])? {
        switch event {
        case .signedIn(let other, let isWhole):
            other == account ? nil : asking(for: .of(other, isWhole: isWhole), .accountAdded, number)
        case .signedOut: asking(for: .local, .accountRemoved, number)
        case .emptied(let other):
            other == account ? asking(for: .rebuilding(of: account), .contentRemoved, number) : nil
        case .replaced(let other):
            other == account ? asking(for: .fallback(of: account), .contentRemoved, number) : nil
        case .rebuild: asking(for: .rebuilding(of: account), .contentRemoved, number)
        case .removed: asking(for: .none, .contentRemoved, number)
        case .small, .built, .swapped, .failed, .added: nil
        }
    }

    private func rebuilding(
        of account: Int64, _ event: StoreOccurrence, _ number: UInt64
    ) -> (next: StoreState, actions: [StoreAction])? {
        switch event {
        case .signedIn(let other, let isWhole):
            other == account ? nil : asking(for: .of(other, isWhole: isWhole), .accountAdded, number)
        case .signedOut: asking(for: .local, .accountRemoved, number)
        case .small(let other), .built(let other):
            other == account ? (.serving(.live(of: account)), []) : nil
        case .replaced(let other):
            other == account ? asking(for: .fallback(of: account), .contentRemoved, number) : nil
        case .emptied(let other):
            other == account ? asking(for: .rebuilding(of: account), .contentRemoved, number) : nil
        case .removed: asking(for: .none, .contentRemoved, number)
        // It is empty already, or as much as has come.
        case .rebuild: nil
        case .swapped, .failed, .added: nil
        }
    }

    private func none(_ event: StoreOccurrence) -> (next: StoreState, actions: [StoreAction])? {
        switch event {
        case .added(let account): (.serving(account.map { .fallback(of: $0) } ?? .local), [])
        case .signedIn, .signedOut, .small, .built, .swapped, .failed, .emptied, .replaced, .rebuild,
            .removed:
            nil
        }
    }

    /// What an account is served with.
    static func of(_ account: Int64, isWhole: Bool) -> ServedContent {
        isWhole ? .live(of: account) : .fallback(of: account)
    }
}

extension StoreQuestion {
    /// Asks again if something else is to come, even if that is what was there before: clients have let
    /// it go.
    private func asking(
        for next: ServedContent, _ kind: StoreTransitionMessage.Kind, _ number: UInt64
    ) -> (StoreState, [StoreAction])? {
        if next == self.next { return nil }
        let question = StoreQuestion(former: former, next: next, kind: kind, number: number)
        return (.asking(question), [.askAnew(question)])
    }

    fileprivate func transition(
        on event: StoreOccurrence, question number: UInt64
    ) -> (next: StoreState, actions: [StoreAction])? {
        switch event {
        case .signedIn(let account, let isWhole):
            // What it is exchanged for already is that account's.
            next.account == account
                ? nil : asking(for: .of(account, isWhole: isWhole), .accountAdded, number)
        case .signedOut: asking(for: .local, .accountRemoved, number)
        case .removed: asking(for: .none, .contentRemoved, number)
        case .swapped(let content): content == next ? (.serving(content), []) : nil
        case .failed: (.serving(former), [])
        // They are told of again once it is served.
        case .small, .built, .emptied, .replaced, .rebuild: nil
        case .added: nil
        }
    }
}
