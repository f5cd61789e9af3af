extension String {
    /// So many whole characters from its beginning that they take at most `limit` bytes, with an ellipsis
    /// if there are more.
    package func clipped(toBytes limit: Int) -> String {
        if utf8.count <= limit { return self }
        let ellipsis = "…"
        var byteCount = ellipsis.utf8.count
        let end = unicodeScalars.firstIndex { scalar in
            byteCount += UTF8.width(scalar)
            return byteCount > limit
        }
        return String(unicodeScalars[..<(end ?? unicodeScalars.endIndex)]) + ellipsis
    }
}
