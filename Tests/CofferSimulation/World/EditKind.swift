/// What a user may do in one save.
package enum EditKind: String, CaseIterable, Sendable, Codable {
    case insert, attribute, key, link, unlink, delete, tag, untag, marry, divorce, reorder, bringBack
}
