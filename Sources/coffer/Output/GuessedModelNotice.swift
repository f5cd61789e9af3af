import CofferLinux

/// What is said if a store keeps no model, and no model was named.
enum GuessedModelNotice {
    /// Says on standard error that the model of the store at `path` is guessed.
    static func say(of path: String) {
        StandardError.say(
            "coffer: '\(path)' keeps no model: what follows is by one that is guessed from what it has. "
                + "Name its model with --model to have its own names and types, and to write into it.")
    }
}
