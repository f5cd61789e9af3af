import Testing

/// What a state machine asks for is asked in vain if its owner never looks at it.
@Test func `each action of a state machine is named outside of its table`() {
    let tables = SourceTree.sources.flatMap(\.actionTables)
    #expect(tables.count > 3, "the state machines are found")
    var found: [String] = []
    for table in tables {
        let users = SourceTree.sources.filter { file in
            file.code.contains { $0.has(table.name) && $0.words.contains(table.name[...]) }
        }
        let modules = Set(users.map(\.module))
        let owners = SourceTree.sources.filter { file in
            modules.contains(file.module)
                && !tables.contains { $0.file == file.path && $0.name == table.name }
                && !file.asks(for: table.name)
        }
        for name in table.cases {
            let isNamed = owners.contains { file in
                file.code.contains { $0.has(".\(name)") && $0.namesCase(name) }
            }
            if !isNamed { found.append("\(table.name).\(name) in \(table.file)") }
        }
    }
    #expect(found.isEmpty, "have its owner act on it, or delete it: \(list(found))")
}

@Test func `actions are found with their cases, and told from members of values`() {
    let text = """
        enum DoorAction: Equatable {
            /// Says so.
            case open(Int)
            case shut, lock
        }
        case .shut: return
        """
    let file = SourceFile(path: "Sources/X/X.swift", bytes: Array(text.utf8))
    #expect(file.actionTables.map(\.name) == ["DoorAction"])
    #expect(file.actionTables.map(\.cases) == [["open", "shut", "lock"]])
    #expect("case .lock: true".namesCase("lock") && "[.lock]".namesCase("lock"))
    #expect(!"door.lock()".namesCase("lock") && !".locked".namesCase("lock"))
}

/// The actions of a state machine.
private struct ActionTable {
    let name: String
    let file: String
    var cases: [String] = []
}

extension SourceFile {
    /// The enums of actions that are declared here.
    fileprivate var actionTables: [ActionTable] {
        var tables: [ActionTable] = []
        var isInside = false
        for line in code {
            let words = line.words
            if let place = words.firstIndex(of: "enum"), place + 1 < words.count,
                words[place + 1].hasSuffix("Action")
            {
                tables.append(ActionTable(name: String(words[place + 1]), file: path))
                isInside = true
            } else if isInside, line.trimmed == "}" {
                isInside = false
            } else if isInside, words.first == "case" {
                // Names of payloads stand in parentheses.
                let names = line.replacing(#/\([^)]*\)/#, with: "").words.dropFirst()
                tables[tables.count - 1].cases += names.map(String.init)
            }
        }
        return tables
    }

    /// Whether it has the function that asks for the actions of that name.
    fileprivate func asks(for name: String) -> Bool {
        code.contains { $0.has("func transition(") }
            && code.contains { $0.has(name) && $0.words.contains(name[...]) }
    }
}

extension String {
    /// Whether it has `.name` with nothing before it that it would be a member of.
    fileprivate func namesCase(_ name: String) -> Bool {
        var before: Substring = self[...]
        while let range = before.firstRange(of: ".\(name)") {
            let last = range.lowerBound == before.startIndex ? nil : before[..<range.lowerBound].last
            let next = range.upperBound == before.endIndex ? nil : before[range.upperBound...].first
            let isMember = last.map { $0.isLetter || $0.isNumber || "_)]}>?!`".contains($0) } ?? false
            if !isMember, !(next.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false) { return true }
            before = before[range.upperBound...]
        }
        return false
    }
}
