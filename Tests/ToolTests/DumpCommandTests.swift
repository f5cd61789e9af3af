import Foundation
import TestSupport
import Testing

/// `coffer dump`, over files.
@Test
func `dump prints typed values in each format, and CSV of one entity only`() throws {
    try withTool { (coffer) throws in
        let file = coffer.path("Library.sqlite")
        let model = try coffer.write("model", libraryModel)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        let book = try coffer(
            "insert", file, "Book", "title=T", "price=12.5", "lent=true", "printed=2026-01-31",
            "author=Author/p1", "--embedded")
        #expect(book.code == 0, "\(book)")
        let found = try coffer("dump", file, "--format", "json")
        #expect(found.code == 0 && found.errors.isEmpty && found.lines.count == 2, "\(found)")
        #expect(
            found.lines.first
                == #"{"entity":"Author","id":"Author/p1","values":{"books":["Book/p1"],"code":"a","name":null}}"#
        )
        let line = found.lines.last ?? ""
        #expect(line.contains(#""printed":"2026-01-31T00:00:00Z""#) && line.contains(#""lent":true"#))
        #expect(line.contains(#""author":"Author/p1""#) && line.contains(#""price":12.5"#), "\(line)")
        let table = try coffer("dump", file, "--format", "csv", "--entity", "Author")
        #expect(table.lines == ["id,books,code,name", "Author/p1,Book/p1,a,"], "\(table)")
        let both = try coffer("dump", file, "--format", "csv")
        #expect(both.code == 64 && both.errors.contains("--entity"), "\(both)")
        let none = try coffer("dump", file, "--format", "json", "--entity", "Film")
        #expect(none.code != 0 && none.errors.contains("Film"), "\(none)")
    }
}

@Test
func `dump goes on behind what is damaged in a file, tells it at the end and fails`() throws {
    try withTool { (coffer) throws in
        let file = coffer.path("Library.sqlite")
        let model = try coffer.write("model", libraryModel)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        #expect(
            try coffer("insert", file, "Book", "title=needle", "author=Author/p1", "--embedded").code == 0)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let place = try #require(bytes.range(of: Data("needle".utf8)))
        let start = place.lowerBound / 4096 * 4096
        bytes.replaceSubrange(start..<(start + 4096), with: Data(repeating: 0xEE, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: file))
        let found = try coffer("dump", file, "--format", "json")
        #expect(found.code == 65, "\(found)")
        #expect(
            found.lines == [
                #"{"entity":"Author","id":"Author/p1","values":{"books":null,"code":"a","name":null}}"#
            ])
        #expect(found.errors.contains("'Book': the objects from Book/p1 on, an unknown number, are left out"))
        #expect(found.errors.contains("Author/p1 books") && found.errors.lowercased().contains("page"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == bytes)
    }
}
