import CofferLinux
import TestSupport
import Testing

@Test
func `an import that fails names the row, and says which rows are durable`() throws {
    try withLibrary { (coffer) throws in
        func rows(_ last: String) throws -> String {
            try coffer.write("rows.json", #"[{"code":"a"},{"code":"b"},{"code":"c"},\#(last)]"#)
        }
        let rule = try coffer("import", "Library", "Author", try rows(#"{"code":"toolong"}"#), "--batch", "2")
        #expect(rule.code == 65)
        #expect(
            rule.errors == """
                coffer: The model's rules forbid it; rows 3 to 4 were not written.
                  row 4 code: 'Author.code' is longer than 4 characters
                Rows 1 to 2 are in the store.

                """)
        #expect(
            try coffer(
                "fetch", "Library", "Author", "--sort", "code", "--properties", "code", "--format", "csv"
            )
            .lines == ["code", "a", "b"])

        let twins = try coffer("import", "Library", "Author", try rows(#"{"code":"c"}"#), "--key", "code")
        #expect(twins.code == 0, "the later row updates: \(twins.errors)")
        try coffer("delete", "Library", "Author", "--all")
        let unlike = try coffer("import", "Library", "Author", try rows(#"{"code":"c"}"#), "--batch", "3")
        #expect(
            unlike.errors.hasSuffix("  row 4: code, as Author/p6 has it\nRows 1 to 3 are in the store.\n"))
        try coffer("delete", "Library", "Author", "--all")
        let together = try coffer("import", "Library", "Author", try rows(#"{"code":"c"}"#))
        #expect(together.errors.hasSuffix("  row 3 and row 4: code\n"), "\(together.errors)")

        let books = try coffer.write(
            "books.json", #"[{"title":"x","copies":1},{"title":"y","copies":"many"}]"#)
        let value = try coffer("import", "Library", "Book", books, "--batch", "1")
        #expect(value.errors.hasPrefix("coffer: Row 2: 'many' does not fit 'Book.copies'"), "\(value.errors)")
        #expect(value.errors.hasSuffix("\nRow 1 is in the store.\n"))
    }
}

@Test
func `an import whose output nobody reads any more says which rows are durable`() throws {
    try withLibrary { (coffer) throws in
        let rows = (1...9).map { #"{"code": "\#($0)"}"# }.joined(separator: ",")
        let file = try coffer.write("rows.json", "[\(rows)]")
        // The pipe has no reader before the tool begins to write.
        let line = try coffer.shell(
            """
            mkfifo "$HOME/pipe"; exec 3<> "$HOME/pipe" 4> "$HOME/pipe" 3<&-
            exec "$coffer" import Library Author '\(file)' --batch 4 --each >&4
            """)
        let errors = try line.errorLines()?.rest() ?? []
        #expect(try line.waitForExit() == .code(74))
        #expect(errors == ["coffer: Rows 1 to 4 are in the store."], "\(errors)")
        #expect(try coffer("fetch", "Library", "Author", "--count", "--json").json["count"] == "4")
    }
}

@Test
func `a reader that has had enough ends a command without a word`() throws {
    try withLibrary { (coffer) throws in
        let rows = (1...5_000).map { #"{"title": "A title of some length, and number \#($0)"}"# }
        let file = try coffer.write("books.json", "[\(rows.joined(separator: ","))]")
        #expect(try coffer("import", "Library", "Book", file).code == 0)
        for format in ["table", "csv", "json"] {
            let pipe = try coffer.shell(
                "{ \"$coffer\" fetch Library Book --format \(format); echo $? >&2; } | head -n 1")
            #expect(try pipe.outputLines()?.rest().count == 1)
            #expect(try pipe.errorLines()?.rest() == ["74"])
        }
    }
}

@Test
func `what is written into a closed stream reaches no other file`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        let closed = try coffer.shell("exec \"$coffer\" fetch Library Author >&-")
        #expect(try closed.errorLines()?.rest() == ["coffer: write: Bad file descriptor"])
        #expect(try closed.waitForExit() == .code(74))
        let all = try coffer.shell(
            "exec \"$coffer\" update Library Author --all name=Ann --confirm <&- >&- 2>&-")
        #expect(try all.waitForExit() == .code(1), "nobody said yes")
        #expect(try coffer("fetch", "Library", "Author", "--json").json["name"] == "null")
    }
}

@Test
func `of many things that are wrong the first are shown`() throws {
    try withLibrary { (coffer) throws in
        let rows = (1...50).map { #"{"code": "too long \#($0)"}"# }.joined(separator: ",")
        let refused = try coffer("import", "Library", "Author", try coffer.write("rows.json", "[\(rows)]"))
        #expect(refused.code == 65)
        let lines = refused.errors.split(separator: "\n")
        #expect(lines.count == 22 && lines.last == "  and 30 more", "\(refused.errors)")
    }
}

@Test
func `a no to the tool's question has an exit code of its own`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        for answer in ["n", ""] {
            let asked = try coffer.shell(
                "echo '\(answer)' | \"$coffer\" update Library Author --all name=Ann --confirm")
            let errors = try asked.errorLines()?.rest() ?? []
            #expect(try asked.waitForExit() == .code(1))
            #expect(errors.last == "coffer: Nothing was changed.", "\(errors)")
        }
        #expect(try coffer("fetch", "Library", "Author", "--json").json["name"] == "null")
    }
}

@Test
func `a damaged file has exit code 74, and one that somebody has locked 75`() throws {
    try withLibrary { (coffer) throws in
        let file = coffer.path("own.store")
        #expect(try coffer("store", "add", file, "--embedded", "--model", coffer.path("model")).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        let lock = try coffer.shell(
            """
            exec python3 -c 'import signal, sqlite3, sys
            file = sqlite3.connect(sys.argv[1])
            file.execute("BEGIN IMMEDIATE")
            print("locked", flush=True)
            signal.pause()' '\(file)'
            """)
        defer { try? lock.kill() }
        #expect(try lock.outputLines()?.next(timeout: .seconds(60)) == "locked")
        let busy = try coffer("insert", file, "Author", "code=b", "--embedded")
        #expect(busy.code == 75, "\(busy.errors)")
    }
    try withLibrary { (coffer) throws in
        let file = coffer.path("own.store")
        #expect(try coffer("store", "add", file, "--embedded", "--model", coffer.path("model")).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        let damage = try coffer.shell(
            "dd if=/dev/urandom of='\(file)' bs=4096 seek=1 count=200 conv=notrunc status=none")
        #expect(try damage.waitForExit() == .code(0))
        let damaged = try coffer("fetch", file, "Author", "--embedded")
        #expect(damaged.code == 74, "\(damaged.errors)")
    }
}

@Test
func `lists of names may have blanks, and no holes`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a", "name=Ann")
        try coffer("insert", "Library", "Author", "code=b", "name=Ann")
        let spaced = try coffer(
            "fetch", "Library", "Author", "--properties", "name, code", "--sort", "name, -code", "--format",
            "csv")
        #expect(spaced.lines == ["name,code", "Ann,b", "Ann,a"], "\(spaced.errors)")
        for list in ["", " ", "name,,code", "name,"] {
            #expect(try coffer("fetch", "Library", "Author", "--properties", list).code == 64)
            #expect(try coffer("fetch", "Library", "Author", "--sort", list).code == 64)
        }
        #expect(try coffer("fetch", "Library", "Author", "--sort", "-").code == 64)
        let unknown = try coffer("fetch", "Library", "Author", "--sort", "colour")
        #expect(
            unknown.errors
                == "coffer: 'colour' is not a property of entity 'Author' (in key path 'colour').\n")
    }
}

@Test
func `history that is not there yet, and consumers and stores that are not, are told of as such`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        #expect(try coffer("history", "Library", "--since", "1", "--format", "csv").lines.count == 1)
        let later = try coffer("history", "Library", "--since", "9")
        #expect(later.code == 66)
        #expect(later.errors.contains("The store's last transaction is 1"), "\(later.errors)")
        let nobody = try coffer("history", "Library", "--forget", "nobody")
        #expect(nobody.code == 66)
        #expect(nobody.errors == "coffer: The store has no consumer 'nobody'.\n")
        let nowhere = try coffer("fetch", "Nowhere", "Author")
        #expect(nowhere.code == 66)
        #expect(nowhere.errors.hasSuffix("'coffer store list --all' shows which there are.\n"))
        let text = try coffer("store", "replace", "Library", coffer.path("model"), "--yes")
        #expect(
            text.errors
                == "coffer: That file is not a store: it is not an SQLite database. Nothing was changed.\n")
    }
}
