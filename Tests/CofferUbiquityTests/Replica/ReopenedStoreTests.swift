import Coffer
import CofferContainer
import CofferModel
import ContextSupport
import Foundation
import TestSupport
import Testing

@Suite("A shared store that is opened again and again")
struct ReopenedStoreTests {
    /// Names of a device's objects in the container that begin with a letter.
    private func names(_ letter: String, in root: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(Device.application)/Store")
            .filter { $0.hasPrefix("\(letter)-") }.sorted()
    }

    @Test("Logs are put into one baseline, once, and are kept as long as nobody else has read that")
    func oneBaseline() throws {
        try withTemporaryFolder { folder in
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            var random = Seed.printed(for: "ReopenedStore").generator()
            var rules = ExchangeRules()
            rules.baselineByteCount = 64 << 10
            for turn in 0..<6 {
                let device = try Device(
                    model, in: "\(folder)/one", sharing: root, clock: clock, rules: rules)
                if turn == 0 {
                    let context = device.context()
                    for _ in 0..<100 {
                        // Random digits, which deflate packs to half and no less.
                        let mail = (0..<88).map { _ in
                            String(UInt64.random(in: 1 << 60 ... .max, using: &random), radix: 16)
                        }
                        try context.make("Person", ["name": "Ada", "mail": .string(mail.joined())])
                    }
                    try context.save()
                }
                device.run()
                #expect(try names("b", in: root).count == 1, "after \(turn) more openings")
                try device.close()
            }
            let logs = try names("l", in: root)
            #expect(!logs.isEmpty)
            for name in try FileManager.default.contentsOfDirectory(
                atPath: "\(root)/\(Device.application)/Store")
            where !name.hasPrefix("c-") {
                try FileManager.default.removeItem(atPath: "\(root)/\(Device.application)/Store/\(name)")
            }
            let device = try Device(model, in: "\(folder)/one", sharing: root, clock: clock, rules: rules)
            for _ in 0..<2 { device.run() }
            let other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            other.run()
            #expect(try names("l", in: root).filter(logs.contains) == logs, "what was lost is put again")
            #expect(try contents(of: other).count == 100)
            try device.close()
        }
    }
}
