import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

/// The lines of a block of the front page, by the heading that it stands under.
private func lines(under heading: String) throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let bytes = try Folder(at: root.path).read("README.md", limit: 1 << 20)
    let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(text.firstIndex { $0 == "### \(heading)" })
    let block = text[start...].drop { $0 != "```sh" }.dropFirst().prefix { $0 != "```" }
    return block.map { String($0) }
}

@Test
func `the ten lines that bring a store from a Mac run over a file that Coffer did not make`() throws {
    let lines = try lines(under: "Bring a store from a Mac")
    try #require(lines.count == 10)
    try withTool { (coffer) throws in
        let model = try coffer.write(
            "model",
            """
            <model><entity name="Note"><attribute name="title" attributeType="String"/></entity></model>
            """)
        let made = coffer.path("made.sqlite")
        #expect(try coffer("store", "add", made, "--embedded", "--model", model).code == 0)
        #expect(try coffer("insert", made, "Note", "title=Milk", "--embedded").code == 0)
        _ = try Folder(at: coffer.path("")).makeFolders("mac")
        try makeForeign(made, as: coffer.path("mac/Notes.sqlite"), coffer)
        let before = try FolderSnapshot(of: coffer.path("mac"))
        let script =
            "set -e; PATH=$(dirname $coffer):$PATH; cd \(coffer.path("mac"))\n"
            + lines.joined(separator: "\n")
        let shell = try coffer.shell(script)
        let output = try shell.outputLines()?.rest() ?? []
        #expect(try shell.waitForExit() == .code(0), "\(output)")
        #expect(output.contains { $0.hasPrefix("integrity") && $0.hasSuffix("all pages are well") })
        #expect(output.contains { $0.hasPrefix("Note/p1") && $0.hasSuffix("Milk") })
        // What was copied is as it was, and the copy that was made first as well.
        let after = try FolderSnapshot(of: coffer.path("mac"))
        #expect(after.files["Notes.sqlite"] == before.files["Notes.sqlite"])
        let backup = coffer.path("mac/brought/before.sqlite")
        #expect(try coffer("fetch", backup, "Note", "--embedded", "--count").lines.last == "    1")
        let csv = try Folder(at: coffer.path("mac/brought")).read("notes.csv", limit: 1 << 16)
        #expect(String(decoding: csv, as: UTF8.self) == "id,title\nNote/p1,Milk\n")
        let served = try coffer("fetch", "Notes", "Note", "--application", "org.example.Brought", "--csv")
        #expect(served.code == 0 && served.lines.dropFirst().map { $0.suffix(5) } == [",Milk", "Bread"])
    }
}
