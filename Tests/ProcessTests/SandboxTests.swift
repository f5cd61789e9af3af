import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import TestSupport
import Testing

/// Tells the service of what processes say of their sandboxes; debug builds of it read that there.
private func withProcessRoots(_ body: (ServiceUnderTest, Folder) throws -> Void) throws {
    try withTemporaryFolder { path in
        let root = try Folder(at: path).makeFolders("\(CurrentProcess.id)")
        try withService(environment: ["COFFER_TEST_PROCESS_ROOT": path]) { try body($0, root) }
    }
}

@Test
func `a caller in a sandbox sees only what belongs to its application`() throws {
    try withProcessRoots { service, root in
        let free = try service.channel("org.coffer.Tests")
        try free.insert(["Milk"], into: free.open())
        let user = CurrentProcess.userID
        let foreign = Notes.path("Notes", user: user)
        let own = Notes.path("Notes", user: user, application: "org.other.App")

        let info = "[Application]\nname=org.other.App\nruntime=x\n[Instance]\ninstance-id=1\n"
        try root.replace(".flatpak-info", with: Array(info.utf8))
        // It may say what it likes.
        let caged = try service.channel("org.coffer.Tests")
        try caged.insert(["Bread"], into: caged.open())
        #expect(try caged.count(caged.open()) == 1, "that is its own store of the same name")
        let list: ListStoresReplyMessage = try caged.call(
            .listStores, ListStoresRequestMessage(allApplications: true))
        #expect(list.stores.map(\.name.application) == ["org.other.App"])

        let name = StoreNameMessage(application: "org.coffer.Tests", name: "Notes")
        for attempt in [
            {
                let _: OpenStoreReplyMessage = try caged.call(
                    .openStore, OpenStoreRequestMessage(name: name, modelID: []))
            },
            { let _: EmptyMessage = try caged.call(.removeStore, RemoveStoreRequestMessage(name: name)) },
        ] as [() throws -> Void] {
            let refusal = #expect(throws: Refusal.self, performing: attempt)
            #expect(refusal?.code == .permissionDenied && refusal?.reason == "denied", "\(refusal as Any)")
        }

        let objects = try service.managedObjects()
        #expect(objects.contains(own) && !objects.contains(foreign), "\(objects)")
        for member in ["IntegrityCheck", "Vacuum"] {
            let error = #expect(throws: CofferDBus.DBusError.self) {
                try service.connection().call(
                    BusNames.name, path: foreign, interface: "\(BusNames.name).Store", member: member)
            }
            guard case .remote(DBusErrorName.unknownObject, _) = error else {
                Issue.record("\(member): \(error as Any)")
                continue
            }
        }
        for (member, body) in [("SetLogLevel", [DBusValue.string("critical")]), ("OpenTrace", [])] {
            let error = #expect(throws: CofferDBus.DBusError.self) {
                try service.connection().call(
                    BusNames.name, path: BusNames.path, interface: BusNames.name, member: member, body: body)
            }
            guard case .remote("\(BusNames.name).Error.PermissionDenied.denied", _) = error else {
                Issue.record("\(member): \(error as Any)")
                continue
            }
        }
        #expect(try free.call(.listStores, bytes: []).isEmpty == false)
    }
}

@Test
func `instances of one application in sandboxes pass its budgets together`() throws {
    try withTemporaryFolder { path in
        try withService(environment: ["COFFER_TEST_PROCESS_ROOT": path]) { service in
            func instance(of application: String) throws -> OtherProcess {
                let process = try service.otherProcess()
                let root = try Folder(at: path).makeFolders("\(process.id)")
                try root.replace(".flatpak-info", with: Array("[Application]\nname=\(application)\n".utf8))
                return process
            }
            let instances = try (0..<3).map { _ in try instance(of: "org.other.App") }
            let channels = try instances.map { try $0.channel() }
            for channel in channels.prefix(2) {
                for _ in 0..<64 { _ = try channel.open() }
            }
            let refusal = #expect(throws: Refusal.self) { try channels[2].open() }
            #expect(refusal?.reason == "too_many_stores", "\(refusal as Any)")
            _ = try instance(of: "org.third.App").channel().open()
        }
    }
}

@Test
func `a caller whose sandbox cannot be told is refused`() throws {
    try withProcessRoots { service, root in
        for text in ["", "[Application]\nname=../../etc\n", "[Application]\nruntime=x\n"] {
            try root.replace(".flatpak-info", with: Array(text.utf8))
            let refusal = #expect(throws: Refusal.self) { try service.channel() }
            #expect(refusal?.code == .permissionDenied && refusal?.reason == "denied", "\(refusal as Any)")
        }
        try root.removeAll(".flatpak-info")
        _ = try service.channel().open()
    }
}

@Test
func `objects that come and go are told to those who may see them, and to nobody else`() throws {
    try withProcessRoots { service, root in
        let eavesdropper = try service.connection()
        try eavesdropper.ask(.addMatch(DBusMatch(interface: "org.freedesktop.DBus.ObjectManager")))
        let free = try service.connection()
        _ = try ServiceUnderTest.managedObjects(over: free)
        try root.replace(".flatpak-info", with: Array("[Application]\nname=org.other.App\n".utf8))
        let caged = try service.connection()
        _ = try ServiceUnderTest.managedObjects(over: caged)
        try root.removeAll(".flatpak-info")

        for application in ["org.coffer.Tests", "org.other.App"] {
            _ = try service.channel(application).open()
        }
        let paths = ["org.coffer.Tests", "org.other.App"].map {
            Notes.path("Notes", user: CurrentProcess.userID, application: $0)
        }
        #expect(try stores(toldTo: free, until: paths[1]) == paths)
        #expect(try stores(toldTo: caged, until: paths[1]) == [paths[1]])
        // What came to it would have come before the answer of the bus.
        try eavesdropper.ask(.ping)
        let heard = try eavesdropper.nextSignal(timeoutMilliseconds: 0)
        #expect(heard == nil || heard?.isSignal("org.freedesktop.DBus", "NameAcquired") == true)
    }
}

/// The stores that a connection is told of, up to one.
private func stores(toldTo connection: DBusClient, until last: String) throws -> [String] {
    var paths: [String] = []
    while paths.last != last {
        let signal = try #require(try connection.nextSignal(timeoutMilliseconds: 20_000))
        guard signal.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded") else { continue }
        let path = try signal.argument(0, \.objectPathValue)
        if path.contains("/stores/") { paths.append(path) }
    }
    return paths
}

@Test
func `a program in a sandbox is told its identity token, and nothing else of accounts`() throws {
    try withProcessRoots { service, root in
        try withTemporaryFolder { folder in
            let free = try service.channel("org.coffer.Tests")
            let _: AccountReplyMessage = try free.call(
                .signIn, SignInRequestMessage(name: "home", path: folder))
            let info = "[Application]\nname=org.other.App\nruntime=x\n[Instance]\ninstance-id=1\n"
            try root.replace(".flatpak-info", with: Array(info.utf8))
            let caged = try service.channel("org.other.App")
            let token: IdentityTokenReplyMessage = try caged.call(.identityToken, EmptyMessage())
            #expect(token.token.count == 32)
            for attempt in [
                { let _: ListAccountsReplyMessage = try caged.call(.listAccounts, EmptyMessage()) },
                { let _: AccountReplyMessage = try caged.call(.signOut, EmptyMessage()) },
                {
                    let _: AccountReplyMessage = try caged.call(
                        .signIn, SignInRequestMessage(name: "other", path: folder))
                },
            ] as [() throws -> Void] {
                let refusal = #expect(throws: Refusal.self, performing: attempt)
                #expect(refusal?.code == .permissionDenied && refusal?.reason == "denied")
            }
            #expect(try !service.managedObjects().contains { $0.contains("/accounts") })
        }
    }
}
