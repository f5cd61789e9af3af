internal import CofferModel

/// The name of an object in its store's folder of a container.
///
/// Names are short, plain ASCII in lower case, and match no pattern that people exclude from their folders:
///
/// | name | object |
/// | --- | --- |
/// | `c-<container>.coffer` | the marker |
/// | `x-<container>.coffer` | says that the content was removed |
/// | `k-<key>-<hash>.coffer` | wrapped keys |
/// | `l-<peer>-<first>-<last>-<hash>.coffer` | a log; the folds are decimal numbers |
/// | `b-<peer>-<number>-<hash>.coffer` | a baseline |
/// | `p-<hash>.coffer` | a part of baselines |
/// | `m-<hash>.coffer` | a model |
/// | `data/<hash>.coffer` | a piece of a value over 100 KB; the hash is that of its content |
package struct ObjectName: Hashable, Sendable {
    /// What the object is.
    package let identity: ObjectIdentity
    /// The hash of its bytes, of a value that of its content; `nil` for what need not be the same everywhere:
    /// a marker, and what says that content was removed.
    package let hash: ObjectHash?

    /// The name of an object with these bytes.
    package init(_ identity: ObjectIdentity, hash: ObjectHash) {
        self.identity = identity
        self.hash = identity.kind.isNamedByContent ? hash : nil
    }
}

extension ObjectName {
    /// The name of a marker, or of what says that a container's content was removed.
    init(_ identity: ObjectIdentity) { (self.identity, hash) = (identity, nil) }

    private static let suffix = ".coffer"

    /// The object that the path `text` in a store's folder names; `nil` if none is called so.
    ///
    /// There is one text for each name: what only means the same, as a number with a zero before it, names
    /// nothing.
    package init?(_ text: String) {
        guard text.utf8.count <= Limits.nameByteCount, text.hasSuffix(Self.suffix) else { return nil }
        let stem = text.dropLast(Self.suffix.count)
        let name: ObjectName?
        if stem.hasPrefix(ObjectIdentity.Kind.data.letter) {
            let digits = stem.dropFirst(ObjectIdentity.Kind.data.letter.count)
            name = ObjectHash(digits: digits).map { ObjectName(.data, hash: $0) }
        } else {
            name = Self.parse(stem.split(separator: "-", omittingEmptySubsequences: false))
        }
        guard let name, name.description == text else { return nil }
        self = name
    }

    private static func parse(_ pieces: [Substring]) -> ObjectName? {
        guard let letter = pieces.first,
            let kind = ObjectIdentity.Kind.allCases.first(where: { $0.letter == letter })
        else { return nil }
        if !kind.isNamedByContent {
            guard pieces.count == 2, pieces[1].utf8.count == 32 else { return nil }
            guard let high = HexadecimalDigits.number(of: pieces[1].prefix(16)),
                let low = HexadecimalDigits.number(of: pieces[1].dropFirst(16))
            else { return nil }
            return ObjectIdentity(kind, numbers: [high, low]).map { ObjectName($0) }
        }
        guard pieces.count == kind.numberCount + 2, let hash = ObjectHash(digits: pieces[pieces.count - 1])
        else { return nil }
        var numbers: [UInt64] = []
        for (index, piece) in pieces.dropFirst().dropLast().enumerated() {
            // The first names a peer or a key, the others count.
            guard let number = index == 0 ? HexadecimalDigits.number(of: piece) : UInt64(piece) else {
                return nil
            }
            numbers.append(number)
        }
        return ObjectIdentity(kind, numbers: numbers).map { ObjectName($0, hash: hash) }
    }
}

extension ObjectName: CustomStringConvertible {
    /// The name as a path in the store's folder.
    package var description: String {
        let hash = hash.map { "\($0)" } ?? ""
        let stem =
            switch identity {
            case .marker(let container): "c-\(container)"
            case .removal(let container): "x-\(container)"
            case .keys(let key): "k-\(key)-\(hash)"
            case .log(let peer, let folds): "l-\(peer)-\(folds.lowerBound)-\(folds.upperBound)-\(hash)"
            case .baseline(let peer, let number): "b-\(peer)-\(number)-\(hash)"
            case .part: "p-\(hash)"
            case .model: "m-\(hash)"
            case .data: "data/\(hash)"
            }
        return stem + Self.suffix
    }
}
