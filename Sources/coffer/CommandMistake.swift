import ArgumentParser

/// A word in the place of a command that is not the name of one.
struct CommandMistake {
    /// What was wrong, and what may have been meant.
    let text: String

    /// The mistake in `arguments`, which follow the name of `command`; `nil` if its commands are named right.
    init?(in arguments: ArraySlice<String>, of command: any ParsableCommand.Type) {
        var rest = arguments
        if rest.first == "help" { rest.removeFirst() }
        var current = command
        while let word = rest.popFirst(), !word.hasPrefix("-") {
            let commands = current.configuration.subcommands
            if commands.isEmpty { return nil }
            guard let next = commands.first(where: { $0._commandName == word }) else {
                self.init(word, commands.map { $0._commandName }, of: current._commandName)
                return
            }
            current = next
        }
        return nil
    }

    private init(_ word: String, _ names: [String], of command: String) {
        let near = names.map { (name: $0, distance: Self.distance(word, $0)) }
            .filter { $0.distance <= max(1, $0.name.count / 3) }
            .min { $0.distance < $1.distance }
        let help =
            near.map { "Did you mean '\($0.name)'?" } ?? "There are \(names.joined(separator: ", "))."
        text = "'\(command)' has no command '\(word)'. \(help)"
    }

    /// How many letters are added, left out, replaced or swapped with the next to make `left` of `right`.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var before: [Int] = []
        var row = Array(0...right.count)
        for i in left.indices {
            var next = [i + 1]
            for j in right.indices {
                var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, before[j - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row.last ?? 0
    }
}
