import CofferCoordination
import CofferLinux
import Testing

extension OneAtATime {
    @Suite(.serialized) struct BatchProcessTests {
        @Test
        func `batch operations of one process reach the objects of all, its own included`() throws {
            try withService { service in
                let writer = try ClientProcess(service, name: "writer")
                let reader = try ClientProcess(service, name: "reader")
                let inserted = try writer.ask("batchInsert", ["writer": "1", "count": "300", "title": "A"])
                #expect(inserted["count"] == "300" && inserted["number"] == "1", "\(inserted)")
                for client in [writer, reader] {
                    #expect(try client.ask("fetch", ["as": "it", "sequence": "7"])["count"] == "300")
                    #expect(try client.ask("value", ["as": "it"])["title"] == "A")
                }
                let updated = try writer.ask("batchUpdate", ["writer": "1", "title": "B"])
                #expect(updated["count"] == "300" && updated["number"] == "2", "\(updated)")
                for client in [writer, reader] {
                    try client.ask("waitForMerge", ["number": "2"])
                    #expect(try client.ask("value", ["as": "it"])["title"] == "B")
                }
                #expect(try writer.ask("batchDelete", ["writer": "1"])["count"] == "300")
                for client in [writer, reader] {
                    #expect(try client.ask("waitForMerge", ["number": "3"])["deleted"] == "300")
                    #expect(try client.count() == 0)
                }
                for client in [writer, reader] { #expect(try client.end() == .code(0)) }
            }
        }

        @Test
        func `an upsert in one process is an update in another`() throws {
            try withService { service in
                let first = try ClientProcess(service, name: "first")
                let number = try first.insert(1, as: "it")
                let second = try ClientProcess(service, name: "second")
                try second.ask("policy", ["policy": "mergeByPropertyObjectTrump"])
                try second.ask("insert", ["as": "mine", "sequence": "1", "title": "U"])
                #expect(try second.save() == number + 1)
                let merge = try first.ask("waitForMerge", ["number": "\(number + 1)"])
                #expect(merge["updated"] == "1" && merge["inserted"] == "0", "\(merge)")
                #expect(try first.ask("value", ["as": "it"])["title"] == "U")
                #expect(try first.count() == 1 && second.count() == 1)
                // Both have the one object from now on.
                try second.ask("set", ["as": "mine", "title": "V"])
                #expect(try second.save() == number + 2)
                try first.ask("waitForMerge", ["number": "\(number + 2)"])
                #expect(try first.ask("value", ["as": "it"])["title"] == "V")
                for client in [first, second] { #expect(try client.end() == .code(0)) }
            }
        }

        @Test(arguments: [CrashPoint.beforeCommit, .afterCommit])
        func `a batch insert is there once, and whole, where the service is killed in it`(
            point: CrashPoint
        ) throws {
            try withStoppableService { service, place in
                let writer = try ClientProcess(service, name: "writer")
                #expect(try writer.count() == 0)
                try place.arm(point)
                try writer.post("batchInsert", ["writer": "5", "count": "20000", "title": "A"])
                try place.waitUntilReached(point)
                try service.kill9()
                // The client sends it again by itself, under the same id.
                let answer = try writer.answer()
                #expect(answer["count"] == "20000" && answer["number"] == "1", "\(answer)")
                #expect(try writer.count() == 20_000)
                #expect(try writer.end() == .code(0))
                try service.kill9()
                let file = try LogFile(service)
                try file.expectWhole()
                #expect(try file.number("SELECT count(*) FROM ZENTRY") == 20_000)
                #expect(try file.number("SELECT count(*) FROM ACHANGE") == 20_000)
            }
        }
    }
}
