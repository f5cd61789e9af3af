internal import Synchronization

/// Orders texts by the rules of a locale, by the system's ICU if it has one.
///
/// A text's key is a run of bytes; texts are ordered as their keys are, byte by byte. Those of two versions
/// of ICU do not compare, so code that keeps keys notes the version beside them.
///
/// ICU is opened by `dlopen` when a key is asked for first. Measured on Debian 12: an executable that links
/// the toolchain's ICU grows by 36 MB and takes 3.6 MB of memory once it is used; one that opens the system's
/// libicu grows by nothing and takes 5.2 MB once it is used, 0.3 MB of them its own, the rest shared with all
/// other processes that use it; until then either costs next to nothing. If the system has no libicu, a text
/// has no key, and callers order by folded text.
package enum Collation {
    /// What texts are told apart by.
    package enum Rules: UInt8, Sendable, Hashable {
        /// Letters, then marks, then case.
        case localized
        /// Letters, then marks.
        case caseInsensitive
        /// The locale's order with runs of digits by their value, as file managers sort.
        case standard
    }

    private struct Name: Hashable {
        var rules: Rules
        var locale: String
    }

    private static let collators = Mutex<[Name: Collator]>([:])

    /// The key of a text; `nil` if the system has no ICU.
    ///
    /// A locale is named as in `de_DE`; what follows a full stop or `@`, and names that ICU does not know,
    /// make no difference.
    package static func key(_ text: String, _ rules: Rules, locale: String) -> [UInt8]? {
        collator(rules, locale: locale)?.key(text)
    }

    /// What makes the keys of many texts; `nil` if the system has no ICU.
    package static func collator(_ rules: Rules, locale: String) -> Collator? {
        guard let icu = ICU.shared else { return nil }
        return collator(Name(rules: rules, locale: language(locale)), icu)
    }

    /// The version of ICU in use, for example `72.1`; `nil` if the system has none.
    package static var version: String? { ICU.shared?.version }

    /// The locale that an environment asks for, as in `de_DE`; empty if it asks for no locale.
    package static func locale(of environment: [String: String]) -> String {
        for name in ["LC_ALL", "LC_COLLATE", "LANG"] {
            if let value = environment[name], !value.isEmpty { return language(value) }
        }
        return ""
    }

    /// The part of a locale's name that decides its keys: two names with equal parts have equal keys.
    package static func language(_ locale: String) -> String {
        let name = String(locale.prefix { $0 != "." && $0 != "@" })
        return name == "C" || name == "POSIX" || name.utf8.count > Limits.localeLength ? "" : name
    }

    private static func collator(_ name: Name, _ icu: ICU) -> Collator? {
        if let known = collators.withLock({ $0[name] }) { return known }
        guard let made = Collator(icu, locale: name.locale, rules: name.rules) else { return nil }
        return collators.withLock { collators in
            if let known = collators[name] { return known }
            if collators.count >= Limits.collators { collators = [:] }
            collators[name] = made
            return made
        }
    }
}
