import Testing

@Test func `at most two parameters of a function have no label`() {
    let found = SourceTree.sources.flatMap(\.barelyLabelled)
    #expect(found.isEmpty, "name what a caller reads only as a list of values: \(list(found))")
}

@Test func `a function with three unlabelled parameters is found`() {
    let text = """
        func named(_ a: Int, of b: Int, in c: Int) {}
        func pair(_ a: [Int: Int], _ b: (Int, Int) -> Int, c: Int = 0) {}
        func triple(
            _ a: Int, _ b: Int = 1,
            _ c: Int
        ) {}
        func generic<Value: Sequence<Int>>(_ a: Value, _ b: Int, _ c: Int) {}
        static func compare(_ a: Int, _ operator: Comparison.Operator, _ b: Int) {}
        init(_ a: Int, _ b: Int, _ c: @escaping (Int) -> Void) { self.init(a, b, c) }
        let closure = { (_ a: Int, _ b: Int, _ c: Int) in a }
        """
    let file = SourceFile(path: "Sources/X/X.swift", bytes: Array(text.utf8))
    #expect(
        file.barelyLabelled == [
            "Sources/X/X.swift:3: func triple(",
            "Sources/X/X.swift:7: func generic<Value: Sequence<Int>>(_ a: Value, _ b: Int, _ c: Int) {}",
            "Sources/X/X.swift:9: init(_ a: Int, _ b: Int, _ c: @escaping (Int) -> Void) { self.init(a, b, c) }",
        ])
}

extension SourceFile {
    /// The functions and initialisers with more than two unlabelled parameters.
    ///
    /// An operator that stands between its operands, as in `.compare("title", .equal, "Milk")`, reads as it
    /// is.
    fileprivate var barelyLabelled: [String] {
        code.indices.filter { index in
            guard let list = parameterStart(code[index]) else { return false }
            let parameters = parameters(from: index, list)
            let bare = parameters.filter { $0.hasPrefix("_ ") }
            return bare.count > 2 && !bare[1].hasSuffix("Operator")
        }
        .map(place)
    }

    /// Where in a line the parameters of the function or initialiser begin that is declared there.
    private func parameterStart(_ line: String) -> String.Index? {
        guard line.contains("func ") || line.contains("init") else { return nil }
        guard line.has("func ") || line.has("init"),
            let match = line.firstMatch(of: #/(^|\s)(func [^(<]+|init[?]?)(<|\()/#)
        else { return nil }
        var depth = 0
        for index in line[line.index(before: match.range.upperBound)...].indices {
            switch line[index] {
            case "<": depth += 1
            case ">": depth -= 1
            case "(" where depth == 0: return index
            default: continue
            }
        }
        return nil
    }

    /// The parameters of a list that begins in a line, each without its default and the spaces around it.
    private func parameters(from line: Int, _ start: String.Index) -> [String] {
        var found: [String] = []
        var parameter = ""
        var depth = 0
        var last: Character = " "
        for character in code[line][start...] + code[(line + 1)...].prefix(40).joined(separator: " ") {
            switch character {
            case "(", "[", "{", "<": depth += 1
            case ")", "]", "}": depth -= 1
            case ">" where last != "-": depth -= 1
            default: break
            }
            last = character
            if depth == 0 || depth == 1 && character == "," {
                found.append(String(parameter.prefix { $0 != "=" }).trimmed)
                parameter = ""
                if depth == 0 { break }
            } else if depth > 1 || character != "(" {
                parameter.append(character)
            }
        }
        return found
    }
}
