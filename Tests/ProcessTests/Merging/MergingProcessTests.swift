import CofferLinux
import Testing

/// Two clients of one store that have read one entry, under the names `a` and `b`; both began with title "A"
/// and body "a".
private func withTwoReaders(
    _ body: (_ first: ClientProcess, _ second: ClientProcess, _ number: Int) throws -> Void
) throws {
    try withService { service in
        let first = try ClientProcess(service, name: "first")
        let number = try first.insert(1, as: "it")
        let second = try ClientProcess(service, name: "second")
        try second.ask("fetch", ["as": "it", "sequence": "1"])
        #expect(try second.ask("value", ["as": "it"])["title"] == "A")
        try body(first, second, number)
        for client in [first, second] { #expect(try client.end() == .code(0)) }
    }
}

@Suite(.serialized) struct MergingProcessTests {
    @Test
    func `a save in one process reaches the context of another`() throws {
        try withTwoReaders { first, second, number in
            let before = try second.roundTrips()
            try first.ask("set", ["as": "it", "title": "B"])
            #expect(try first.save() == number + 1)
            let merge = try second.ask("waitForMerge", ["number": "\(number + 1)"])
            #expect(merge["updated"] == "1" && merge["refreshed"] == "0", "\(merge)")
            let value = try second.ask("value", ["as": "it"])
            #expect(value["title"] == "B" && value["isFault"] == "false")
            #expect(try second.roundTrips() == before, "nobody asked for what came by itself")
        }
    }

    @Test
    func `a change of another property stays, and is saved without a conflict`() throws {
        try withTwoReaders { first, second, number in
            try second.ask("set", ["as": "it", "body": "mine"])
            let before = try second.roundTrips()
            try first.ask("set", ["as": "it", "title": "B"])
            try first.save()
            try second.ask("waitForMerge", ["number": "\(number + 1)"])
            let value = try second.ask("value", ["as": "it"])
            #expect(
                value["title"] == "B" && value["body"] == "mine" && value["changed"] == "body", "\(value)")
            #expect(try second.roundTrips() == before)
            #expect(try second.save() == number + 2)
            try first.ask("waitForMerge", ["number": "\(number + 2)"])
            let merged = try first.ask("value", ["as": "it"])
            #expect(merged["title"] == "B" && merged["body"] == "mine", "\(merged)")
        }
    }

    @Test
    func `two changes of one property are a conflict that tells all values`() throws {
        try withTwoReaders { first, second, number in
            try first.ask("set", ["as": "it", "title": "theirs"])
            try second.ask("set", ["as": "it", "title": "mine"])
            try second.ask("policy", ["policy": "error", "merges": "false"])
            try first.save()
            let failure = try second.failure("save")
            #expect(failure["kind"] == "conflicts" && failure["count"] == "1", "\(failure)")
            #expect(failure["snapshot.title"] == "A")
            #expect(failure["stored.title"] == "theirs")
            #expect(failure["wanted.title"] == "mine")
            #expect(failure["properties"] == "title")
            #expect(failure["snapshotVersion"] == "1" && failure["storedVersion"] == "2", "\(failure)")
            // Nothing was written, the change is still there, and a second attempt meets it with the other's
            // save merged first.
            try second.ask("waitForMerge", ["number": "\(number + 1)"])
            let again = try second.failure("save")
            #expect(again["kind"] == "conflicts" && again["wanted.title"] == "mine", "\(again)")
            #expect(again["snapshot.title"] == "A" && again["stored.title"] == "theirs", "\(again)")
            #expect(again["snapshotVersion"] == "1" && again["storedVersion"] == "2", "\(again)")
            try second.ask("refresh", ["as": "it"])
            #expect(try second.ask("value", ["as": "it"])["title"] == "theirs")
        }
    }

    /// What each policy makes of title "theirs" and body "a" in the store, and title "mine" and body "my
    /// body" in the context; the entry's body was changed by the context alone.
    @Test(
        arguments: [
            ("mergeByPropertyStoreTrump", "theirs", "my body"),
            ("mergeByPropertyObjectTrump", "mine", "my body"),
            ("overwrite", "mine", "my body"), ("rollback", "theirs", "a"),
        ], [false, true])
    func `each merge policy lets the side win that its description names`(
        policy: (name: String, title: String, body: String), mergesFirst: Bool
    ) throws {
        try withTwoReaders { first, second, number in
            try second.ask("policy", ["policy": policy.name, "merges": "\(mergesFirst)"])
            try second.ask("set", ["as": "it", "title": "mine", "body": "my body"])
            try first.ask("set", ["as": "it", "title": "theirs"])
            try first.save()
            if mergesFirst { try second.ask("waitForMerge", ["number": "\(number + 1)"]) }
            try second.ask("save")
            let own = try second.ask("value", ["as": "it"])
            #expect(
                own["title"] == policy.title && own["body"] == policy.body && own["changed"] == "", "\(own)")
            // A context that reads it now for the first time sees that, too.
            try first.ask("refresh", ["as": "it"])
            let stored = try first.ask("value", ["as": "it"])
            #expect(stored["title"] == policy.title && stored["body"] == policy.body, "\(stored)")
        }
    }

    @Test
    func `the overwrite policy writes the whole object`() throws {
        try withTwoReaders { first, second, _ in
            try second.ask("policy", ["policy": "overwrite", "merges": "false"])
            try first.ask("set", ["as": "it", "body": "their body"])
            try second.ask("set", ["as": "it", "title": "mine"])
            try first.save()
            try second.ask("save")
            try first.ask("refresh", ["as": "it"])
            let stored = try first.ask("value", ["as": "it"])
            #expect(stored["title"] == "mine", "\(stored)")
            #expect(stored["body"] == "a", "the whole object: \(stored)")
        }
    }
}
