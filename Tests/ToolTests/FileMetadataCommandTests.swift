import TestSupport
import Testing

/// `coffer metadata --file`: metadata of files of every type.
@Test(.timeLimit(.minutes(15)), arguments: ["sqlite", "binary", "xml"])
func `metadata of a file are shown and set by type, without a model`(type: String) throws {
    try withTool { (coffer) throws in
        let file = coffer.path("Library.\(type)")
        let model = try coffer.write("model", libraryModel)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model, "--type", type).code == 0)
        let set = try coffer("metadata", file, "--file", "--type", "integer", "edition=4", "--format", "csv")
        #expect(set.code == 0 && set.lines.contains("edition,integer,4"), "\(set)")
        let list = "<plist><array><string>a</string><true/></array></plist>"
        #expect(try coffer("metadata", file, "--file", "--type", "plist", "list=\(list)").code == 0)
        let shown = try coffer("metadata", file, "--file", "--format", "csv")
        let name = ["sqlite": "SQLite", "binary": "Binary", "xml": "XML"][type] ?? ""
        #expect(shown.lines.contains("NSStoreType,string,\(name)"), "\(shown)")
        #expect(shown.lines.contains { $0.hasPrefix("NSStoreUUID,string,") })
        #expect(shown.lines.contains { $0.hasPrefix("list,array,") })
        #expect(
            try coffer("metadata", file, "--embedded", "--format", "csv").lines.contains("entry,edition,4"))
        #expect(try coffer("metadata", file, "--file", "NSStoreUUID=x").code != 0)
        #expect(try coffer("metadata", file, "--file", "--type", "integer", "edition=x").code == 64)
    }
}
