import Coffer
import CofferContainer
import CofferCoordination
import CofferMerge
import CofferModel
import CofferSQLite
import CofferStores
import CofferUbiquity
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("Objects that were deleted long ago")
struct BuriedObjectTests {
    /// The registers in a device's file.
    private func registersInFile(of device: Device) throws -> [Register] {
        let statement = try device.store.file.makeReader().prepare(
            "SELECT registers FROM COFFER_RECORD WHERE registers <> x''")
        var registers: [Register] = []
        while try statement.step() {
            registers += try RegisterContent.registers(in: statement.blob(0), from: .ownFile)
        }
        return registers
    }

    /// The registers in the newest baseline.
    private func registersInBaseline(of root: String) throws -> [Register] {
        let folder = "\(root)/\(Device.application)/Store"
        func content(_ name: String) throws -> [UInt8] {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            return try ContainerObject(reading: Array(data)).content
        }
        let baselines = try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { name -> (UInt64, String)? in
                guard case .baseline(_, let number)? = ObjectName(name)?.identity else { return nil }
                return (number, name)
            }
        let newest = try #require(baselines.max { $0.0 < $1.0 })
        return try BaselineContent(reading: content(newest.1)).parts.flatMap { part in
            try RegisterContent.registers(
                in: content("\(ObjectName(.part, hash: part))"), from: .container)
        }
    }

    private func mentions(_ text: String, _ registers: [Register]) -> Bool {
        registers.contains {
            if case .cell(_, _, let cell) = $0 { cell.value.content == .value(.string(text)) } else { false }
        }
    }

    @Test("Nothing is left of them but that they are dead, and nobody's return brings them back")
    func burial() throws {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            var rules = ExchangeRules()
            rules.step = .seconds(200 * 86_400)
            (rules.baselineLogCount, rules.turn) = (1, .zero)
            let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock, rules: rules)
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            let late = try Device(model, in: "\(folder)/late", sharing: root, clock: clock)
            let context = one.context()
            let gone = try context.make("Person", ["name": "Ada", "mail": "ada@example.org"])
            let tag = try context.make("Tag", ["name": "new"])
            try gone.setObjects([tag], forKey: "tags")
            try context.save()
            for _ in 0..<3 { for device in [one, other, late] { device.run() } }
            #expect(try contents(of: late).count == 2)

            context.delete(gone)
            try context.save()
            for device in [one, other] { device.run() }
            clock.pass(days: 91)
            // The other's clock says the same.
            let later = other.context()
            try later.make("Tag", ["name": "later"])
            try later.save()
            other.run()
            // What brings the baseline about.
            for number in 0..<4 {
                try context.make("Person", ["name": .string("\(number)")])
                try context.save()
                one.run()
            }
            // One that was written for the first of these was read by no other, as far as its author knows.
            one.run()
            clock.pass(days: 1)
            for _ in 0..<3 { for device in [one, other] { device.run() } }
            for device in [one, other] {
                let registers = try registersInFile(of: device)
                #expect(!mentions("ada@example.org", registers) && mentions("3", registers))
                #expect(
                    registers.contains {
                        if case .life(_, let life) = $0 { life.value.isBuried } else { false }
                    })
                #expect(!registers.contains { if case .pair = $0 { true } else { false } })
                #expect(device.status.differing.isEmpty)
            }
            let carried = try registersInBaseline(of: root)
            #expect(!mentions("ada@example.org", carried) && mentions("3", carried))
            #expect(one.status.digest == other.status.digest)

            // It saw nothing of all that, and edits what is gone.
            let elsewhere = late.context()
            try #require(elsewhere.all("Person").first).setValue(40, forKey: "age")
            try elsewhere.save()
            for _ in 0..<4 { for device in [late, one, other] { device.run() } }
            #expect(Set([one, other, late].map { "\($0.status.digest)" }).count == 1)
            for device in [one, other, late] {
                #expect(try contents(of: device).count == 6)
                #expect(try contents(of: device) == contents(of: one))
                #expect(!mentions("ada@example.org", try registersInFile(of: device)))
                #expect(device.status.differing.isEmpty)
                // No work is lost without a word.
                let entries = try ConflictJournal(of: device.store, after: 0, limit: 100).entries
                let lost = entries.filter { $0.noted.conflict.kind == .edit }.flatMap(\.values)
                #expect(lost.contains { $0.property == "age" && $0.lost == 40 })
            }
        }
    }

    /// Of three machines one deletes a department, one is off and puts a person into it, and the third has a
    /// clock that is 120 days ahead for a moment.
    @Test func `a clock that is wrong for a moment buries nothing that another revives`() throws {
        let model = try ManagedObjectModel {
            Entity("Department") {
                Field("name", .string)
                Many("employees", "Employee", inverse: "department", deleteRule: .deny)
            }
            Entity("Employee") {
                Field("name", .string)
                One("department", "Department", inverse: "employees")
            }
        }
        try withTemporaryFolder { folder in
            let (clock, ahead, root) = (TestClock(), TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            var rules = ExchangeRules()
            rules.baselineLogCount = 3
            let one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock)
            let wrong = try Device(model, in: "\(folder)/wrong", sharing: root, clock: ahead, rules: rules)
            let away = try Device(model, in: "\(folder)/away", sharing: root, clock: clock)
            let context = one.context()
            let department = try context.make("Department", ["name": "Research"])
            try context.save()
            for _ in 0..<3 { for device in [one, wrong, away] { device.run() } }

            context.delete(department)
            try context.save()
            one.run()
            ahead.pass(days: 120)
            let elsewhere = wrong.context()
            for number in 0..<4 {
                try elsewhere.make("Department", ["name": .string("\(number)")])
                try elsewhere.save()
                wrong.run()
            }
            #expect(try FileManager.default.subpathsOfDirectory(atPath: root).contains { $0.contains("/b-") })
            ahead.pass(days: -120)

            let meanwhile = away.context()
            let revived = try #require(meanwhile.all("Department").first)
            try meanwhile.make("Employee", ["name": "Ada"]).setObjects([revived], forKey: "department")
            try meanwhile.save()
            for _ in 0..<4 { for device in [away, one, wrong] { device.run() } }
            for device in [one, wrong, away] {
                let reader = device.context()
                let ada = try #require(try reader.all("Employee").first)
                #expect(ada.objects(forKey: "department").map { $0["name"] } == ["Research"])
            }
            #expect(Set([one, wrong, away].map { "\($0.status.digest)" }).count == 1)
        }
    }
}
