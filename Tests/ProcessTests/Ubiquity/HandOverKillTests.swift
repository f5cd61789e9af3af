import Coffer
import CofferLinux
import Foundation
import TestSupport
import Testing

/// Services that are killed while the account changes.
@Suite struct HandOverKillTests {
    @Test func `no save is lost, doubled or in another account's store`() async throws {
        let seed = Seed.printed(for: "kills of a service that exchanges accounts")
        var random = seed.generator()
        let kills = CurrentProcess.environment["COFFER_HANDOVER_KILLS"].flatMap { Int($0) } ?? 4
        try await withTemporaryFolder { folder in
            let names = ["one", "two"]
            for name in names { _ = try Folder.make(at: "\(folder)/\(name)") }
            let service = try ServiceUnderTest()
            defer { service.stop() }
            let machine = try AccountMachine(service)
            var saved: [[String]] = [[], []]
            for place in 0..<2 {
                try machine.signIn("\(folder)/\(names[place])")
                try machine.save("\(names[place]) 0")
                saved[place].append("\(names[place]) 0")
            }
            var place = 1
            var contexts: [BackgroundContext] = []
            for number in 1...kills {
                let context = try machine.container.newBackgroundContext()
                let name = "\(names[place]) unsaved \(number)"
                try await context.perform { context in try AccountMachine.insert(name, into: context) }
                contexts.append(context)
                place = 1 - place
                try machine.connection().signIn(as: names[place], at: "\(folder)/\(names[place])")
                // Before, in and after the exchange.
                for _ in 0..<Int.random(in: 0...3, using: &random) { _ = try machine.status() }
                try service.kill9()
                try waitUntil("the other account's notes") {
                    try machine.names().contains("\(names[place]) 0")
                }
                try machine.save("\(names[place]) \(number)")
                saved[place].append("\(names[place]) \(number)")
            }
            for place in 0..<2 {
                try machine.connection().signIn(as: names[place], at: "\(folder)/\(names[place])")
                try waitUntil("the account's notes") {
                    try machine.names().contains("\(names[place]) 0")
                }
                let found = try machine.names()
                #expect(found.filter { !$0.contains("unsaved") } == saved[place].sorted())
                #expect(found.filter { !$0.hasPrefix(names[place]) } == [])
                #expect(Set(found).count == found.count)
            }
            withExtendedLifetime(contexts) {}
        }
    }

    /// When the service dies while another account is signed in to.
    enum Death: CaseIterable {
        /// Before that.
        case before
        /// As soon as it has answered that.
        case signedIn
        /// While a handler of a context is about to save.
        case inHandler
    }

    @Test(arguments: Death.allCases)
    func `living clients are asked again, and what they had not saved goes where it belongs`(death: Death)
        async throws
    {
        try await withTemporaryFolder { folder in
            let roots = ["\(folder)/one", "\(folder)/two"]
            for root in roots { _ = try Folder.make(at: root) }
            let service = try ServiceUnderTest()
            defer { service.stop() }
            let machine = try AccountMachine(service)
            for (root, name) in zip(roots, ["one", "two"]) {
                try machine.signIn(root)
                try machine.save(name)
            }
            try machine.signIn(roots[0])
            // Those that come back after the first one are waited for.
            let others = try (1..<4).map { _ in try AccountMachine.container(service, "Notes", nil) }
            let (losses, kills) = (ConditionLock(0), ConditionLock(0))
            var contexts: [BackgroundContext] = []
            for (number, container) in ([machine.container] + others).enumerated() {
                let context = try container.newBackgroundContext()
                try await context.perform { context in
                    try AccountMachine.insert("unsaved \(number)", into: context)
                    var token: NotificationToken?
                    // As long as the context: each keeps the other, until its stores have gone twice.
                    token = context.onNotification { notification in
                        if case .didLoseChanges = notification { losses.withLock { $0 += 1 } }
                        guard notification == .storesWillChange, number == 0, death == .inHandler else {
                            return
                        }
                        let asked = kills.withLock { count in
                            count += 1
                            return count
                        }
                        if asked == 1 { #expect(throws: Never.self) { try service.kill9() } }
                        // Read, so that it is kept.
                        if asked > 2 { token?.cancel() }
                    }
                }
                contexts.append(context)
            }
            if death == .before { try service.kill9() }
            try machine.connection().signIn(as: "two", at: roots[1])
            if death == .signedIn { try service.kill9() }
            try waitUntil("the other account's notes") { try machine.names() == ["two"] }
            try machine.connection().signIn(as: "one", at: roots[0])
            try waitUntil("the first account's notes") { try machine.names().contains("one") }
            #expect(try machine.names() == ["one"] + (0..<4).map { "unsaved \($0)" })
            #expect(losses.withLock { $0 } == 0)
            withExtendedLifetime(contexts) {}
        }
    }
}
