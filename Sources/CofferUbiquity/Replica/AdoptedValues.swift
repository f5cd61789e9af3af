internal import CofferContainer
internal import CofferCoordination
internal import CofferLinux
internal import CofferMerge
internal import CofferModel
internal import CofferStores

/// The bytes of large values that are joined from another store.
///
/// Those of a whole store are in a file without a name beside it, since no memory may have room for all.
struct AdoptedValues: Sendable {
    private let present: [LargeValue: AttributeValue]
    private let file: OwnedDescriptor?
    /// Where the pieces of each value lie in the file: the first byte, and the lengths.
    private let places: [LargeValue: (start: Int, lengths: [Int])]
    /// Those that the store owes to the container, and that no row shows.
    let owed: [LargeValue]

    /// A few values, in memory.
    init(_ present: [LargeValue: AttributeValue]) {
        (self.present, file, places, owed) = (present, nil, [:], [])
    }

    /// The values that rows of a store show, and those that it owes to its container.
    ///
    /// - Throws: `StoreError` if the store cannot be read, or there is no room beside it.
    init(of kept: KeptReplica, in store: PersistentStore) throws(StoreError) {
        present = [:]
        var places: [LargeValue: (start: Int, lengths: [Int])] = [:]
        var file: OwnedDescriptor?
        var end = 0
        func append(_ large: LargeValue, _ content: AttributeValue) throws(StoreError) {
            let pieces = large.objects(of: content).map(\.content)
            do throws(LinuxError) {
                if file == nil { file = try Self.makeFile(beside: store) }
                for piece in pieces { try file?.writeAll(piece) }
            } catch {
                throw error.isFull ? .full(path: store.file.path) : StoreError(error)
            }
            places[large] = (end, pieces.map(\.count))
            end += pieces.reduce(0) { $0 + $1.count }
        }
        for value in kept.shownValues() where places[value.large] == nil {
            if let content = try store.content(of: value) { try append(value.large, content) }
        }
        var owed: [LargeValue] = []
        for large in kept.owedValues where places[large] == nil {
            guard let content = try kept.owedValue(large, on: store.file.makeReader()) else { continue }
            try append(large, content)
            owed.append(large)
        }
        (self.file, self.places, self.owed) = (file, places, owed)
    }

    private static func makeFile(beside store: PersistentStore) throws(LinuxError) -> OwnedDescriptor {
        let part = try PartFile(".\(store.file.fileName).values.part", in: store.file.folder)
        try part.remove()
        return part.descriptor
    }

    /// Whether the bytes of a value are here.
    func has(_ large: LargeValue) -> Bool { present[large] != nil || places[large] != nil }

    /// A value; `nil` if its bytes are not here.
    ///
    /// - Throws: `StoreError` if they cannot be read.
    func value(_ large: LargeValue) throws(StoreError) -> AttributeValue? {
        if let value = present[large] { return value }
        guard let place = places[large], let file else { return nil }
        var offset = place.start
        var pieces: [ContainerObject] = []
        for length in place.lengths {
            do throws(LinuxError) {
                pieces.append(ContainerObject(.data, content: try file.read(upTo: length, at: offset)))
            } catch {
                throw StoreError(error)
            }
            offset += length
        }
        return large.value(of: pieces)
    }

    /// Lends the values that are owed to the container, one by one.
    func eachOwed(_ body: (LargeValue, AttributeValue) throws(StoreError) -> Void) throws(StoreError) {
        for large in owed { if let value = try value(large) { try body(large, value) } }
    }

    /// Lends the values that rows are to show and that are here, some at a time.
    func batches(
        of wanted: [WantedValue], _ body: (ArrivedValues) throws(StoreError) -> Void
    ) throws(StoreError) {
        var batch = ArrivedValues()
        var byteCount: UInt64 = 0
        for value in wanted {
            if batch.values[value.large] == nil {
                guard let content = try self.value(value.large) else { continue }
                batch.values[value.large] = content
                byteCount += value.large.byteCount
            }
            batch.names.insert(value.object)
            if byteCount < ValueCarrying.batchByteCount { continue }
            try body(batch)
            (batch, byteCount) = (ArrivedValues(), 0)
        }
        if !batch.names.isEmpty { try body(batch) }
    }
}
