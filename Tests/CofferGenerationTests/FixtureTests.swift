import CofferFormats
import CofferGeneration
import FoundationEssentials
import TestSupport
import Testing

/// Models of public projects; no part of the package, so that the tests are skipped if the models are
/// absent.
private let models: [String] = {
    guard let folder = FixtureFolder.path,
        let all = try? FileManager.default.subpathsOfDirectory(atPath: folder)
    else { return [] }
    return all.filter { $0.hasSuffix(".xcdatamodeld") }.sorted().map { "\(folder)/\($0)" }
}()

@Suite(.enabled(if: !models.isEmpty, "there are no fixtures")) struct `Swift of real models` {
    @Test(arguments: [true, false])
    func `Swift of real models is the same each time`(isOneFile: Bool) throws {
        for model in models {
            let source = try ModelFile.source(path: model)
            #expect(try files(of: source, isOneFile) == files(of: source, isOneFile), "\(model)")
        }
    }

    @Test(.enabled(if: SwiftCompiler.isThere, "there is no swiftc"))
    func `the compiler takes Swift of real models`() throws {
        let compiler = try SwiftCompiler()
        var applications: [Application] = []
        for (index, model) in models.enumerated() {
            let made = try files(of: try ModelFile.source(path: model), false)
            if let place = applications.firstIndex(where: { $0.takes(made) }) {
                applications[place].add(made, number: index)
            } else {
                applications.append(Application(made, number: index))
            }
        }
        for application in applications {
            let complaints = try compiler.complaints(about: application.texts)
            #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
        }
    }

    private func files(of source: ModelSource, _ isOneFile: Bool) throws -> [GeneratedFile] {
        var options = GenerationOptions()
        options.includesManualClasses = true
        options.isOneFile = isOneFile
        return try SourceGenerator(source, options: options).files()
    }
}

/// Files of models whose types can stand side by side, since each run of the compiler takes as long as many
/// models.
private struct Application {
    /// The files' texts by their names.
    private(set) var texts: [String: String] = [:]
    private var types: Set<String> = []

    init(_ files: [GeneratedFile], number: Int) { add(files, number: number) }

    /// Whether the files, one for each type, declare nothing that is there, or that hides a type from the
    /// others.
    func takes(_ files: [GeneratedFile]) -> Bool {
        let added = Set(files.map(Self.type))
        return types.isDisjoint(with: added) && types.union(added).isDisjoint(with: ReservedNames.used.keys)
    }

    mutating func add(_ files: [GeneratedFile], number: Int) {
        for file in files {
            texts["\(number)-\(file.name)"] = file.text
            types.insert(Self.type(file))
        }
    }

    private static func type(_ file: GeneratedFile) -> String {
        String(file.name.dropLast("+Coffer.swift".count))
    }
}
