import CofferUbiquity
import Testing

/// Where stores may be in accounts' folders.
struct ContentLocationTests {
    private func path(_ path: String, in container: String = "") throws -> String {
        try ContentLocation(
            container: container, path: path, application: "org.a", roots: ["/home/a/Sync", "/mnt/b"]
        ).path(of: "Notes", for: "org.a")
    }

    @Test func `a location is a folder below the container, or the container itself`() throws {
        for (given, found) in [
            ("", "org.a/Notes"), ("Sub", "org.a/Sub/Notes"), ("Sub/Deep/", "org.a/Sub/Deep/Notes"),
            ("/home/a/Sync/org.a", "org.a/Notes"), ("/home/a/Sync/org.a/", "org.a/Notes"),
            ("/mnt/b/org.a/Sub", "org.a/Sub/Notes"),
        ] {
            #expect(try path(given) == found)
        }
        #expect(try path("", in: "org.a") == "org.a/Notes")
        #expect(try path("/mnt/b/group/Sub", in: "group") == "group/Sub/Notes")
        #expect(
            try ContentLocation(container: "org.a", path: "", application: "org.a", roots: [])
                == ContentLocation())
    }

    @Test func `an application has the containers that are called after it, and no other one's`() throws {
        for (container, isOwn) in [
            ("", true), ("org.a", true), ("org.a+group", true), ("org.a.Devel", false), ("org.ab", false),
            ("org.a.Devel+group", false), ("org.b", false),
        ] {
            let location = try ContentLocation(
                container: container, path: "", application: "org.a", roots: [])
            #expect(location.isOwn(of: "org.a") == isOwn, "\(container)")
        }
    }

    @Test func `what leads elsewhere is none`() {
        for given in [
            "..", "Sub/..", "../org.b", ".", "./Sub", "Sub//Deep", "/", "/etc", "/home/a/Sync",
            "/home/a/Sync/org.b", "/home/a/Sync/org.a/../org.b", "/home/a/Synced/org.a", "data", "Sub/data",
            "Sub/.git", "a\0b", String(repeating: "a/", count: 400) + "a",
        ] {
            #expect(throws: ContentLocation.Fault.self, "\(given)") { try path(given) }
        }
        for container in ["..", "a/b", ".git", String(repeating: "a", count: 101)] {
            #expect(throws: ContentLocation.Fault.self, "\(container)") { try path("", in: container) }
        }
    }
}
