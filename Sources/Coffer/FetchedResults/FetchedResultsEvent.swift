public import CofferModel

/// Where a row stands: the section's number, and the row's number in it.
public struct SectionIndex: Sendable, Hashable {
    /// The section's number.
    public var section: Int
    /// The row's number in the section.
    public var item: Int

    /// The place of an item in a section, both counted from 0.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }
}

extension SectionIndex: Comparable {
    /// Whether a place comes before another.
    public static func < (left: SectionIndex, right: SectionIndex) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }
}

/// One part of a change of fetched results.
///
/// Places before the change count in all rows as they were, places after it in all rows as they are. So a
/// client that keeps a list of its own takes out what was deleted and moved, from the last to the first;
/// takes out the sections deleted, from the last to the first; puts in the sections inserted, then what was
/// inserted and moved, each from the first to the last. Events come so ordered.
public enum FetchedResultsEvent: Sendable, Equatable {
    /// A change begins; the controller has the new rows already.
    case willChange
    /// A section went; all of its rows are told of besides.
    case sectionDeleted(name: String, at: Int)
    /// A section is new.
    case sectionInserted(name: String, at: Int)
    /// An object has left the results.
    case deleted(ManagedObjectID, at: SectionIndex)
    /// An object came into the results.
    case inserted(ManagedObjectID, at: SectionIndex)
    /// An object changed, and with it its place among the others.
    case moved(ManagedObjectID, from: SectionIndex, to: SectionIndex)
    /// An object changed and stays between the same others; one that was saved has its permanent id from here
    /// on.
    case updated(ManagedObjectID, from: SectionIndex, to: SectionIndex)
    /// The change is complete.
    case didChange
    /// A change could not be followed, for the controller's `lastError`: the rows stay as they were, and the
    /// next one begins with a fetch.
    case failed
}
