import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// What opening a store by some name was refused with.
private func refusal(_ client: RawClient, _ name: StoreNameMessage) throws -> Refusal? {
    let model: RegisterModelReplyMessage = try client.call(
        .registerModel, RegisterModelRequestMessage(model: try Notes.model()))
    do {
        let _: OpenStoreReplyMessage = try client.call(
            .openStore, OpenStoreRequestMessage(name: name, modelID: model.modelID))
        return nil
    } catch let refusal as Refusal {
        return refusal
    }
}

@Test
func `names that lead out of a store's folder are refused`() throws {
    try withWitness { service, _, _ in
        let client = try service.channel()
        let long = String(repeating: "n", count: 300)
        for name in ["../Notes", "..", ".", ".hidden", "/etc/passwd", "a/b", "", "a\0b", "line\nfeed", long] {
            for message in [
                StoreNameMessage(name: name), StoreNameMessage(configuration: name, name: "Notes"),
                StoreNameMessage(application: name, name: "Notes"),
            ] {
                // An empty application or configuration is the caller's own, and the default.
                if name.isEmpty && !message.name.isEmpty { continue }
                let refused = try refusal(client, message)
                #expect(
                    refused?.code == .invalidArgument && refused?.reason == "invalid_name",
                    "\(message): \(refused?.description ?? "opened")")
            }
            let remove = #expect(throws: Refusal.self) {
                let _: EmptyMessage = try client.call(
                    .removeStore, RemoveStoreRequestMessage(name: StoreNameMessage(name: name)))
            }
            #expect(remove?.reason == "invalid_name", "\(name)")
        }
        for application in ["../../etc", "/etc", "a/b", ""] {
            let refused = #expect(throws: Refusal.self) {
                try RawClient(bus: service.connection(), application: application)
            }
            #expect(refused?.code == .invalidArgument && refused?.reason == "invalid_name", "\(application)")
        }
        #expect(try Folder(at: service.data).names().filter { !$0.hasPrefix(".") } == ["org.coffer.Tests"])
    }
}

@Test
func `symbolic links where stores live are not followed`() throws {
    try withWitness { service, _, store in
        try withTemporaryFolder { victim in
            let outside = try Folder(at: victim)
            let precious = Array("precious".utf8)
            try outside.replace("file", with: precious)
            let client = try service.channel()
            let folder = "\(service.data)/org.coffer.Tests/Default"

            // A store's file, to a file, to another store, and to nothing.
            try link("\(folder)/File.sqlite", to: "\(victim)/file")
            try link("\(folder)/Other.sqlite", to: "\(folder)/Notes.sqlite")
            try link("\(folder)/Nothing.sqlite", to: "\(victim)/new")
            for name in ["File", "Other", "Nothing"] {
                let refused = try refusal(client, StoreNameMessage(name: name))
                #expect(refused?.code == .failedPrecondition, "\(name): \(refused?.description ?? "opened")")
                #expect(["symbolic_link", "not_a_store"].contains(refused?.reason), "\(name)")
            }

            // Files that SQLite and the service put beside it.
            for suffix in ["-wal", "-shm", "-journal", ".lock"] {
                let name = "Trap\(suffix.dropFirst())"
                try link("\(folder)/\(name).sqlite\(suffix)", to: "\(victim)/file")
                if let refused = try refusal(client, StoreNameMessage(name: name)) {
                    #expect(refused.code != .unknown, "\(name): \(refused)")
                }
            }

            // Folders on the way.
            try link("\(service.data)/org.coffer.Tests/Elsewhere", to: victim)
            try link("\(service.data)/org.coffer.Linked", to: victim)
            for name in [
                StoreNameMessage(configuration: "Elsewhere", name: "Notes"),
                StoreNameMessage(application: "org.coffer.Linked", name: "Notes"),
            ] {
                let refused = try refusal(client, name)
                #expect(
                    refused?.code == .failedPrecondition && refused?.reason == "symbolic_link",
                    "\(name): \(refused?.description ?? "opened")")
            }
            let list: ListStoresReplyMessage = try client.call(
                .listStores, ListStoresRequestMessage(allApplications: true))
            #expect(!list.stores.contains { $0.path.hasPrefix(victim) })

            #expect(try outside.names() == ["file"], "something was made behind a link")
            #expect(try outside.read("file", limit: 100) == precious)
        }
    }
}
