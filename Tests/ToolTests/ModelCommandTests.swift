import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Commands for models` {
    @Test
    func `a model is drawn as dot, Mermaid and SVG, and that of a store is shown`() throws {
        try withTool { (coffer) throws in
            let model = try coffer.write("Library.xcdatamodel", libraryModel)
            for (format, start) in [("dot", "digraph"), ("mermaid", "classDiagram"), ("svg", "<svg ")] {
                let drawn = try coffer("model", "show", model, "--format", format)
                #expect(drawn.code == 0 && drawn.lines.first?.hasPrefix(start) == true, "\(drawn)")
                #expect(drawn.lines.contains { $0.contains("Author") })
            }
            let one = try coffer("model", "show", model, "--format", "dot", "--entity", "Book")
            #expect(one.code == 0 && !one.lines.contains { $0.contains("\"Author\"") })
            #expect(try coffer("model", "show", model, "--format", "svg", "--json").code == 64)
            let store = coffer.path("Library.sqlite")
            #expect(try coffer("store", "add", store, "--model", model, "--embedded").code == 0)
            let kept = try coffer("model", "show", store, "--csv")
            #expect(kept.code == 0 && kept.errors.isEmpty, "\(kept)")
            #expect(try kept.lines == coffer("model", "show", model, "--csv").lines)
        }
    }

    @Test
    func `Swift is made of a model, and checked`() throws {
        try withTool { (coffer) throws in
            let model = try coffer.write("Library.xcdatamodel", libraryModel)
            let output = coffer.path("Model")
            let planned = try coffer("model", "generate", model, "--output", output, "--dry-run", "--json")
            #expect(planned.code == 0, "\(planned.errors)")
            #expect(
                planned.lines == [
                    #"{"file":"LibraryModel+Coffer.swift","change":"create","entity":null}"#,
                    #"{"file":"Author+Coffer.swift","change":"create","entity":"Author"}"#,
                    #"{"file":"Book+Coffer.swift","change":"create","entity":"Book"}"#,
                ])
            #expect(!FileManager.default.fileExists(atPath: output))
            #expect(try coffer("model", "generate", model, "--output", output, "--check").code == 65)
            #expect(try coffer("model", "generate", model, "--output", output).code == 0)
            let checked = try coffer("model", "generate", model, "--output", output, "--check")
            #expect(checked.code == 0 && checked.lines.dropFirst().allSatisfy { $0.contains(" keep") })

            let place = try coffer("model", "generate", model, "--output", "/proc/none/Model")
            #expect(place.code == 74)
            #expect(
                place.errors.hasSuffix(": its folder is not there, and cannot be made.\n"), "\(place.errors)")
            try Folder(at: output).replace("Book+Coffer.swift", with: Array("// Mine.\n".utf8))
            let refused = try coffer("model", "generate", model, "--output", output)
            #expect(refused.code == 73)
            #expect(
                refused.errors.contains("Book+Coffer.swift")
                    && refused.errors.contains("not made of this model"))
            #expect(try coffer("model", "generate", model, "--output", output, "--force").code == 0)
        }
    }

    @Test
    func `files of another model of the same name stay as they are`() throws {
        try withTool { (coffer) throws in
            let home = try Folder(at: coffer.path(""))
            for name in ["a", "b"] {
                let other = libraryModel.replacing("\"Author\"", with: "\"Author\(name)\"")
                try home.makeFolders("\(name)/Notes.xcdatamodel").replace("contents", with: Array(other.utf8))
            }
            func generate(_ model: String, _ more: String...) throws -> Tool.Outcome {
                try coffer.run(
                    ["model", "generate", coffer.path(model), "--output", coffer.path("Model")] + more)
            }
            #expect(
                try generate("a/Notes.xcdatamodel/contents").lines[1].hasPrefix("NotesModel+Coffer.swift"))
            let before = try home.folder("Model").names().sorted()
            for path in ["b/Notes.xcdatamodel", "b/Notes.xcdatamodel/contents"] {
                let refused = try generate(path)
                #expect(refused.code == 73, "\(refused)")
                #expect(try home.folder("Model").names().sorted() == before)
            }
            #expect(try generate("a/Notes.xcdatamodel/contents", "--check").code == 0)
        }
    }

    @Test
    func `a model that makes no Swift is refused with its place`() throws {
        try withTool { (coffer) throws in
            let output = coffer.path("Model")
            let missing = try coffer("model", "generate", coffer.path("No.xcdatamodeld"), "--output", output)
            #expect(missing.code == 66 && missing.errors.contains("No.xcdatamodeld"))
            let text = libraryModel.replacing(
                "name=\"Book\"", with: "name=\"Book\" representedClassName=\"Author\"")
            let model = try coffer.write("Library.xcdatamodel", text)
            let refused = try coffer("model", "generate", model, "--output", output)
            #expect(refused.code == 65)
            #expect(
                refused.errors == "coffer: The entities 'Author' and 'Book' have the same class 'Author'.\n")
        }
    }
}

@Test
func `a model with a slip of the pen is warned of, and refused where it is to be strict`() throws {
    try withTool { (coffer) throws in
        let text = libraryModel.replacing(
            "optional=\"YES\" attributeType=\"Date\"", with: "optinal=\"YES\" attributeType=\"Date\"")
        let model = try coffer.write("typo", text)
        for command in [
            ["model", "show", model], ["store", "add", "Library", "--model", model],
            ["model", "generate", model, "--output", coffer.path("Model")],
        ] {
            let strict = try coffer.run(command + ["--strict"])
            #expect(strict.code == 65, "\(command)")
            let warned = try coffer.run(command)
            #expect(warned.code == 0, "\(warned)")
            for (errors, start) in [(strict.errors, "coffer: "), (warned.errors, "coffer: warning: ")] {
                #expect(errors.hasPrefix("\(start)\(model):17:"), "\(errors)")
                #expect(
                    errors.contains(
                        "'optinal' is not known here, and is passed over; did you mean 'optional'?"))
            }
        }
        let right = try coffer.write("right", libraryModel)
        #expect(try coffer("model", "show", right, "--strict").errors == "")
    }
}

@Test
func `a model is written in Xcode's form once, and is the same model`() throws {
    try withTool { (coffer) throws in
        let model = try coffer.write("Library.contents", libraryModel)
        let written = try coffer("model", "convert", model, coffer.path("models"), "--json")
        let folder = coffer.path("models/Library.xcdatamodel")
        #expect(try written.code == 0 && written.json["file"]?.description == folder, "\(written)")
        #expect(try coffer("model", "show", folder).lines == coffer("model", "show", model).lines)
        let again = try coffer("model", "convert", model, folder)
        #expect(again.code == 73 && again.errors.contains("nothing was written"), "\(again)")
    }
}
