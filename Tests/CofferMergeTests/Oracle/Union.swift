import CofferMerge

/// Records that were joined, the smallest of which stands for all.
struct Union {
    private var parents: [RecordID: RecordID] = [:]

    func head(_ record: RecordID) -> RecordID {
        var record = record
        while let parent = parents[record] { record = parent }
        return record
    }

    mutating func join(_ one: RecordID, _ other: RecordID) {
        let (one, other) = (head(one), head(other))
        if one != other { parents[max(one, other)] = min(one, other) }
    }
}
