import CofferLinux
import TestSupport
import Testing

extension OneAtATime {
    /// What `coffer-bench` measures, in a small store: that it runs, and does what it says it does.
    @Suite(.serialized) struct BenchTests {
        private static let steps = ["W9", "W10", "W11", "W12", "M"]
        private static let results = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

        @Test
        func `each step of the object graph gives the figures that its table names`() throws {
            let lines = try bench("run", "--steps", Self.steps.joined(separator: ","))
            let rows = lines.map { $0.split(separator: "\t").map(String.init) }
            #expect(rows.allSatisfy { $0.count == 4 && (Double($0.last ?? "") ?? -1) > 0 }, "\(lines)")
            let figures = Set(rows.map { $0.prefix(3).joined(separator: " ") })
            for (system, isEmbedded) in [("coffer", false), ("coffer-embedded", true)] {
                #expect(figures.isSuperset(of: ["integer_ns", "long_text_ns"].map { "\(system) W9 \($0)" }))
                #expect(
                    figures.isSuperset(of: ["ms", "whole_ms", "round_trips"].map { "\(system) W10 \($0)" }))
                #expect(figures.isSuperset(of: ["p50_us", "uncached_p50_us"].map { "\(system) W11 \($0)" }))
                #expect(
                    figures.isSuperset(of: ["ms", "p50_us", "again_p50_us"].map { "\(system) W12 \($0)" }))
                #expect(figures.contains("\(system) M object_bytes") == !isEmbedded)
            }
            #expect(
                figures.isSuperset(of: ["sqlite W10 ms", "sqlite W11 p50_us", "sqlite W12 again_p50_us"]))
            #expect(!figures.contains { $0.hasPrefix("coffer-bus") || $0.hasPrefix("sqlite W9") })

            // 1,000 faults, 200 in a request; their ids came with one more.
            #expect(lines.contains("coffer\tW10\tround_trips\t6"))
            try expectDescribed(rows)
        }

        @Test
        func `each step of saves, fetches and pushes gives its figures beside those of others`() throws {
            let lines = try bench(
                "run", "--steps", (1...8).map { "W\($0)" }.joined(separator: ","), "--systems",
                "coffer,sqlite,socketpair")
            let rows = lines.map { $0.split(separator: "\t").map(String.init) }
            #expect(rows.allSatisfy { $0.count == 4 && Double($0.last ?? "") != nil }, "\(lines)")
            let figures = Set(rows.map { $0.prefix(3).joined(separator: " ") })
            for (step, metrics) in [
                "W1": ["objects_per_s"], "W2": ["saves_per_s", "p50_us", "p99_us", "worst_us"],
                "W3": ["saves_per_s", "worst_us"], "W4": ["p50_us", "p99_us"],
                "W5": ["ms", "peak_client_mb"],
                "W6": ["p50_us", "p99_us"], "W7": ["ms"], "W8": ["cpu_ticks", "context_switches"],
            ] {
                // A library has nothing that is idle.
                for system in step == "W8" ? ["coffer"] : ["coffer", "sqlite"] {
                    #expect(figures.isSuperset(of: metrics.map { "\(system) \(step) \($0)" }))
                }
            }
            #expect(
                figures.isSuperset(of: [
                    "socketpair W4 p50_us", "socketpair W4 p99_us", "coffer W5 peak_service_mb",
                ]))
            try expectDescribed(rows)
        }

        @Test
        func `each step of files gives its figures beside those of SQLite`() throws {
            let lines = try bench(
                "run", "--steps", "W16,W17,W18,W19,W21,W22", "--systems", "coffer,coffer-embedded,sqlite")
            let rows = lines.map { $0.split(separator: "\t").map(String.init) }
            #expect(rows.allSatisfy { $0.count == 4 && (Double($0.last ?? "") ?? -1) > 0 }, "\(lines)")
            let figures = Set(rows.map { $0.prefix(3).joined(separator: " ") })
            for system in ["coffer-embedded", "sqlite"] {
                #expect(figures.isSuperset(of: ["\(system) W16 ms", "\(system) W18 objects_per_s"]))
            }
            for system in ["coffer-embedded", "coffer"] {
                #expect(
                    figures.isSuperset(of: ["objects_per_s", "peak_client_mb"].map { "\(system) W22 \($0)" }))
            }
            for metric in ["sqlite_ms", "memory_ms", "binary_ms", "xml_ms"] {
                #expect(figures.isSuperset(of: ["coffer W17 \(metric)", "coffer-embedded W17 \(metric)"]))
            }
            for type in ["sqlite", "binary", "xml"] {
                #expect(figures.contains("coffer-embedded W21 \(type)_objects_per_s"))
                #expect(figures.contains("sqlite W21 \(type)_objects_per_s") == (type == "sqlite"))
            }
            #expect(figures.contains("sqlite W17 memory_ms") && !figures.contains("sqlite W17 xml_ms"))
            for system in ["coffer", "sqlite"] {
                #expect(
                    figures.isSuperset(of: ["p99_us", "alone_p99_us", "ms"].map { "\(system) W19 \($0)" }))
            }
            try expectDescribed(rows)
        }

        @Test func `a store that two machines share gives its figures`() throws {
            let rows = try bench("run", "--steps", "W20", objects: 100).map {
                $0.split(separator: "\t").map(String.init)
            }
            #expect(rows.allSatisfy { $0.count == 4 && (Double($0.last ?? "") ?? -1) > 0 }, "\(rows)")
            #expect(
                Set(rows.map { $0[2] }) == [
                    "plain_p50_us", "save_p50_us", "p50_us", "p99_us", "objects_per_s", "folding_p99_us",
                    "importing_p99_us", "join_ms", "change_bytes", "register_bytes", "open_plain_us",
                    "open_empty_us", "open_full_us",
                    "open_away_us",
                ])
            try expectDescribed(rows)
        }

        @Test func `the help names each step`() throws {
            let help = try bench("run", "--help").joined(separator: " ")
            for step in (1...21).map({ "W\($0)" }) + ["M"] {
                #expect(help.contains(" \(step) "), "\(step)")
            }
        }

        @Test
        func `what cannot be measured, started or written has an exit code of its own`() throws {
            try withTemporaryFolder { folder in
                let bench = try BuiltProducts.path(of: "coffer-bench")
                let small = "--objects 1000 --repeat 1 --folder '\(folder)'"
                for (line, code, expected) in [
                    ("'\(bench)' run --steps w8 --systems sqlite \(small)", 64 as Int32, "W8 means nothing"),
                    (
                        "PATH=/none '\(bench)' run --steps W4 --systems coffer \(small)", 69,
                        "'dbus-daemon' is missing"
                    ),
                    ("'\(bench)' run --steps W4 --systems sqlite \(small) > /dev/full", 71, "No space left"),
                ] {
                    let program = try ChildProcess("/bin/sh", arguments: ["-c", line], errors: .pipe)
                    let errors = try program.errorLines()?.rest().joined(separator: "\n") ?? ""
                    #expect(try program.waitForExit() == .code(code), "\(line)")
                    #expect(errors.contains(expected), "\(errors)")
                }
            }
        }

        /// Every metric stands in its step's row of the table of what is measured.
        private func expectDescribed(_ rows: [[String]]) throws {
            let bytes = try Folder(at: "\(Self.results)/Sources/coffer-bench").read(
                "RESULTS.md", limit: 1 << 20)
            let text = String(decoding: bytes, as: UTF8.self)
            for row in rows where row.count == 4 {
                let line = text.split(separator: "\n").first { $0.hasPrefix("| \(row[1]) |") }
                #expect(line?.contains("`\(row[2])`") ?? false, "\(row[1]) \(row[2])")
            }
        }

        private func bench(_ arguments: String..., objects: Int = 1_000) throws -> [String] {
            try withTemporaryFolder { folder in
                let small =
                    arguments.contains("--help")
                    ? []
                    : ["--objects", "\(objects)", "--repeat", "1", "--format", "tsv", "--folder", folder]
                let program = try ChildProcess(
                    BuiltProducts.path(of: "coffer-bench"), arguments: arguments + small, output: .pipe)
                let lines = try program.outputLines()?.rest() ?? []
                #expect(try program.waitForExit() == .code(0))
                return lines
            }
        }
    }
}
