import CofferLinux
import TestSupport
import Testing

/// What `--relate` makes of rows that name each other.
@Suite struct `Relations of an import` {
    @Test(arguments: ["1", "500"])
    func `relations of an import are to all that a row names, wherever they stand`(batch: String) throws {
        try withNodes { (coffer) throws in
            let file = try coffer.write(
                "nodes.json", #"[{"code":"B"},{"code":"A","f":["B","C","Z"]},{"code":"C"}]"#)
            let imported = try coffer(
                "import", "Graph", "Node", file, "--skip-unknown", "--batch", batch, "--relate",
                "friends=code:{f}",
                "--json")
            #expect(imported.code == 0, "\(imported.errors)")
            let line = imported.lines.last ?? ""
            #expect(line.contains(#""related":{"friends":2},"unrelated":{"friends":1}"#), "\(line)")
            #expect(try coffer.codes("ANY friends.code == 'A'") == ["B", "C"])
        }
    }

    @Test(arguments: ["1", "500"])
    func `relations of an import are by the first rule that finds somebody in the whole file`(batch: String)
        throws
    {
        try withNodes { (coffer) throws in
            let file = try coffer.write(
                "nodes.json",
                #"[{"code":"x-1"},{"code":"a","p":"1"},{"code":"1"},{"code":"b","p":"2"},{"code":"x-2"}]"#)
            let imported = try coffer(
                "import", "Graph", "Node", file, "--batch", batch, "--relate", "parent=code:{p}", "--relate",
                "parent=code:x-{p}", "--json")
            #expect(imported.code == 0, "\(imported.errors)")
            #expect(try coffer.codes("parent.code == '1'") == ["a"])
            #expect(try coffer.codes("parent.code == 'x-2'") == ["b"])
        }
    }

    @Test
    func `relations follow a file that is imported again, and stay where it says nothing`() throws {
        try withNodes { (coffer) throws in
            func importing(_ rows: String) throws -> String {
                let imported = try coffer(
                    "import", "Graph", "Node", try coffer.write("nodes.json", rows), "--key", "code",
                    "--skip-unknown",
                    "--relate", "parent=code:{p}", "--relate", "friends=code:{f}", "--json")
                #expect(imported.code == 0, "\(imported.errors)")
                return imported.lines.last ?? ""
            }
            _ = try importing(
                #"[{"code":"a","p":"r","f":["r"]},{"code":"b","p":"r"},{"code":"c","p":"r"},{"code":"r"}]"#)
            #expect(try coffer.codes("parent.code == 'r'") == ["a", "b", "c"])
            let line = try importing(#"[{"code":"a","p":null,"f":[]},{"code":"b"},{"code":"c","p":"gone"}]"#)
            #expect(line.contains(#""unrelated":{"parent":1,"friends":0}"#), "\(line)")
            #expect(try coffer.codes("parent.code == 'r'") == ["b"])
            #expect(try coffer.codes("ANY friends.code == 'a'") == [])
        }
    }

    @Test(arguments: ["1", "2", "500"])
    func `relations of an import are those of the last row with a key`(batch: String)
        throws
    {
        try withNodes { (coffer) throws in
            let file = try coffer.write(
                "nodes.json",
                #"[{"code":"A","p":"Z","f":["B","Z"]},{"code":"B"},{"code":"A","p":"B","f":["B"]},"#
                    + #"{"code":"C","p":"Z"},{"code":"C","p":null},{"code":"D","p":"Z"},{"code":"D"},"#
                    + #"{"code":"E","p":"Z"},{"code":"E","p":"Y"},{"code":"Y"},{"code":"Z"}]"#)
            let imported = try coffer(
                "import", "Graph", "Node", file, "--key", "code", "--skip-unknown", "--batch", batch,
                "--relate",
                "parent=code:{p}", "--relate", "friends=code:{f}", "--json")
            #expect(imported.code == 0, "\(imported.errors)")
            #expect(try coffer.codes("parent.code == 'B'") == ["A"])
            #expect(try coffer.codes("parent.code == 'Y'") == ["E"])
            #expect(try coffer.codes("parent.code == 'Z'") == ["D"])
            #expect(try coffer.codes("ANY friends.code == 'A'") == ["B"])
            let line = imported.lines.last ?? ""
            #expect(line.contains(#""related":{"parent":6,"friends":3}"#), "\(line)")
        }
    }

    @Test
    func `keys of an import tell texts apart that only look the same`() throws {
        try withNodes { (coffer) throws in
            let rows =
                #"[{"code":"caf\u00e9","name":"one"},{"code":"cafe\u0301","name":"two","p":"caf\u00e9"}]"#
            let file = try coffer.write("nodes.json", rows)
            for expected in ["Node,2,0,", "Node,0,0,2,"] {
                let imported = try coffer(
                    "import", "Graph", "Node", file, "--key", "code", "--relate", "parent=code:{p}",
                    "--format", "csv")
                #expect(imported.lines.last?.hasPrefix(expected) == true, "\(imported)")
                let found = try coffer(
                    "fetch", "Graph", "Node", "--properties", "name,parent.name", "--sort", "name",
                    "--format",
                    "csv")
                #expect(found.lines == ["name,parent.name", "one,", "two,one"])
            }
        }
    }
}

extension Tool {
    /// The codes of the nodes that fit a predicate, in order.
    fileprivate func codes(_ predicate: String) throws -> [String] {
        let found = try self(
            "fetch", "Graph", "Node", "--where", predicate, "--properties", "code", "--sort", "code",
            "--format", "csv")
        return Array(found.lines.dropFirst())
    }
}

/// Lends the tool, and a store `Graph` of nodes that are friends and parents of each other.
func withNodes(_ body: (Tool) throws -> Void) throws {
    try withTool { (coffer) throws in
        let added = try coffer("store", "add", "Graph", "--model", try coffer.write("graph", nodeModel))
        try #require(added.code == 0, "\(added.errors)")
        try body(coffer)
    }
}

private let nodeModel = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Node" syncable="YES">
            <attribute name="code" attributeType="String"/>
            <attribute name="data" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="id" optional="YES" attributeType="Integer 64"/>
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="children" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Node" \
    inverseName="parent" inverseEntity="Node"/>
            <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Node" \
    inverseName="friends" inverseEntity="Node"/>
            <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Node" \
    inverseName="children" inverseEntity="Node"/>
        </entity>
    </model>
    """
