/// Upper and lower case as regular expressions see them.
///
/// Source: full case folding of Unicode, without what is for Turkic languages only.
enum CaseFolding {
    /// What a scalar folds to: one scalar, or several as `ss` for `ß`.
    static func fold(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        if scalar.isASCII { return [lowercase(scalar)] }
        // Its capital is that of `i`, which it is not alike to.
        if scalar == "ı" { return [scalar] }
        return lower(scalar).flatMap(upper).flatMap(lower)
    }

    /// The lower case of a scalar of ASCII.
    static func lowercase(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        (0x41...0x5a).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
    }

    /// All scalars that fold to what one folds to, itself among them.
    static func variants(of scalar: Unicode.Scalar) -> [Unicode.Scalar] { table[scalar] ?? [scalar] }

    private static func lower(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        scalar.properties.lowercaseMapping.unicodeScalars
    }

    private static func upper(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        scalar.properties.uppercaseMapping.unicodeScalars
    }

    /// The scalars that are alike to others; made once, when it is asked for first.
    private static let table: [Unicode.Scalar: [Unicode.Scalar]] = {
        var groups: [[Unicode.Scalar]: [Unicode.Scalar]] = [:]
        // What has case stands in the first two planes.
        for value in UInt32(0x41)...0x1_ffff {
            guard let scalar = Unicode.Scalar(value), scalar.properties.changesWhenCaseMapped else {
                continue
            }
            groups[fold(scalar), default: []].append(scalar)
        }
        var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        for group in groups.values where group.count > 1 {
            for scalar in group { table[scalar] = group }
        }
        return table
    }()
}
