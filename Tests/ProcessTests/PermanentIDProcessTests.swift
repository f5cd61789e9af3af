import CofferLinux
import Testing

extension OneAtATime {
    @Suite(.serialized) struct PermanentIDProcessTests {
        @Test
        func `an id that one process gave out is the object in another once it is saved`() throws {
            try withService { service in
                let writer = try ClientProcess(service, name: "writer")
                let reader = try ClientProcess(service, name: "reader")
                try writer.ask("insert", ["as": "it", "sequence": "1", "title": "mine"])
                let id = try #require(try writer.ask("obtain", ["as": "it"])["it"])
                #expect(id.hasSuffix("/Entry/p1"))
                #expect(try reader.failure("seek", ["id": id])["error"] != nil)
                #expect(try reader.count() == 0)
                #expect(try reader.insert(2, title: "theirs") == 1)
                #expect(try writer.save() == 2)
                try reader.ask("waitForMerge", ["number": "2"])
                #expect(try reader.ask("seek", ["id": id, "as": "it"])["title"] == "mine")
                try reader.ask("set", ["as": "it", "title": "changed"])
                #expect(try reader.save() == 3)
                try writer.ask("waitForMerge", ["number": "3"])
                #expect(try writer.ask("value", ["as": "it"])["title"] == "changed")
                #expect(try writer.ask("obtain", ["as": "it"])["it"] == id)
                for client in [writer, reader] { #expect(try client.end() == .code(0)) }
            }
        }

        @Test
        func `no id is given twice, whichever process is killed before the object is saved`() throws {
            try withService { service in
                let lost = try ClientProcess(service, name: "lost")
                try lost.ask("insert", ["as": "it", "sequence": "1"])
                var ids = [try lost.ask("obtain", ["as": "it"])["it"]]
                try lost.child.kill(.kill)
                let writer = try ClientProcess(service, name: "writer")
                for name in ["one", "two", "three"] {
                    try writer.ask("insert", ["as": name, "sequence": "\(ids.count + 1)", "title": name])
                    ids.append(try writer.ask("obtain", ["as": name])[name])
                    try service.kill9()
                }
                let reader = try ClientProcess(service, name: "reader")
                try reader.insert(9, as: "own")
                ids.append(try reader.ask("obtain", ["as": "own"])["own"])
                #expect(Set(ids.compactMap(\.self)).count == 5, "\(ids)")
                #expect(ids.compactMap { $0?.split(separator: "/").last } == ["p1", "p2", "p3", "p4", "p5"])
                try writer.save()
                for (name, id) in zip(["one", "two", "three"], ids.dropFirst()) {
                    #expect(try reader.ask("seek", ["id": id ?? "", "as": name])["title"] == name)
                }
                for client in [writer, reader] { #expect(try client.end() == .code(0)) }
                #expect(try service.integrity(ofStore: "Log") == [])
                try service.kill9()
                let file = try LogFile(service)
                try file.expectWhole()
                #expect(try file.entries().count == 4)
            }
        }
    }
}
