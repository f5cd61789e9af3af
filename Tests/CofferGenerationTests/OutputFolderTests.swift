import CofferGeneration
import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `A folder of generated files` {
    @Test func `a folder of generated files is written once, and again only where the model changed`() throws
    {
        try withTemporaryFolder { (path) throws in
            let folder = OutputFolder(path: path + "/Model")
            let first = try SourceGenerator(try source("notes", notes))
            var steps = try folder.steps(for: try first.files(), header: first.header)
            #expect(steps.map(\.change) == [.create, .create, .create])
            try folder.apply(steps)
            let before = try modified("Note+Coffer.swift", in: folder)
            steps = try folder.steps(for: try first.files(), header: first.header)
            #expect(steps.map(\.change) == [.keep, .keep, .keep])
            try folder.apply(steps)
            #expect(try modified("Note+Coffer.swift", in: folder) == before)

            let changed = notes.replacing("name=\"Folder\"", with: "name=\"Box\"")
                .replacing("Entity=\"Folder\"", with: "Entity=\"Box\"")
            let second = try SourceGenerator(try source("notes", changed))
            steps = try folder.steps(for: try second.files(), header: second.header)
            #expect(
                steps.map { "\($0.change) \($0.name)" } == [
                    "update NotesModel+Coffer.swift", "create Box+Coffer.swift", "update Note+Coffer.swift",
                    "remove Folder+Coffer.swift",
                ])
            try folder.apply(steps)
            #expect(try Folder(at: folder.path).facts(of: "Folder+Coffer.swift") == nil)
        }
    }

    @Test func `a folder of generated files keeps what is not ours`() throws {
        try withTemporaryFolder { (path) throws in
            let folder = OutputFolder(path: path)
            let mine = Array("// Mine.\n".utf8)
            for name in ["Note+Coffer.swift", "Old+Coffer.swift", "Note.swift"] {
                try Folder(at: path).replace(name, with: mine)
            }
            let generator = try SourceGenerator(try source("notes", notes))
            let files = try generator.files()
            let steps = try folder.steps(for: files, header: generator.header)
            #expect(steps.map(\.change) == [.create, .create, .refuse])
            #expect(throws: GenerationError.foreignFiles(["\(path)/Note+Coffer.swift"])) {
                try folder.apply(steps)
            }
            #expect(try Folder(at: path).facts(of: "NotesModel+Coffer.swift") == nil, "nothing was written")
            try folder.apply(try folder.steps(for: files, header: generator.header, isForced: true))
            #expect(try Folder(at: path).read("Old+Coffer.swift", limit: 100) == mine)
            #expect(
                try Folder(at: path).read("Note+Coffer.swift", limit: 1 << 16) == Array(files[2].text.utf8))
            // Files of another model are not ours either.
            let other = try SourceGenerator(try source("other", notes))
            let foreign = try folder.steps(for: try other.files(), header: other.header)
            #expect(foreign.map(\.change) == [.create, .refuse, .refuse])
        }
    }

    @Test func `generated files name a model by its path from their folder`() throws {
        try withTemporaryFolder { (path) throws in
            let real = try Folder(at: path).makeFolders("real/Model.xcdatamodel")
            try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: real.path)
            let folder = OutputFolder(path: path + "/real/new/Model")
            for name in ["/real/Model.xcdatamodel", "/real/../real/Model.xcdatamodel/", "/link"] {
                #expect(folder.relativePath(of: path + name) == "../../Model.xcdatamodel")
            }
            #expect(OutputFolder(path: path).relativePath(of: path + "/a.xcdatamodel") == "a.xcdatamodel")
        }
    }

    private func modified(_ name: String, in folder: OutputFolder) throws -> Date? {
        try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")[.modificationDate] as? Date
    }
}
