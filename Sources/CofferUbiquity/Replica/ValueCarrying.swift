internal import CofferContainer
internal import CofferMerge
internal import CofferModel
internal import Synchronization

/// Carries large values between the rows of a store and its container.
///
/// What has to be there is what registers name, and what is there a listing tells. So a machine that has the
/// bytes of a value, in a row or in `KeptPieces`, puts them again if they are missing.
final class ValueCarrying: Sendable {
    /// How many bytes of values are written into rows in one transaction, unless one alone is larger.
    static let batchByteCount: UInt64 = 16 << 20

    private let carrier: any ContainerCarrier
    private let state = Mutex(Known())

    private struct Known {
        /// The pieces that are in the container, as far as is known; `nil` before it was listed.
        var present: Set<ObjectName>?
        /// Pieces that cannot be read, and why.
        var unreadable: [ObjectName: String] = [:]
    }

    init(over carrier: any ContainerCarrier) { self.carrier = carrier }

    /// Pieces that cannot be read, and why.
    var unreadable: [ObjectName: String] { state.withLock { $0.unreadable } }

    /// Takes what a listing shows.
    func listed(_ objects: Set<ObjectName>) {
        state.withLock {
            $0.present = objects.filter { $0.identity == .data }
            $0.unreadable = $0.unreadable.filter { objects.contains($0.key) }
        }
    }

    /// Whether the container has all pieces of a value, as far as is known.
    ///
    /// - Throws: `CarrierError` if the container cannot be reached.
    func presence() throws(CarrierError) -> @Sendable (LargeValue) -> Bool {
        let isKnown = state.withLock { $0.present != nil }
        if !isKnown { listed(try carrier.list().objects) }
        let present = state.withLock { $0.present } ?? []
        return { $0.pieces.allSatisfy(present.contains) }
    }

    /// Puts the values there that rows show and that are missing, before the log that names them comes.
    ///
    /// - Parameters:
    ///   - shown: The values, and where their bytes are.
    ///   - carrier: What takes them.
    ///   - mayGoOn: Asked before each one.
    ///   - content: Gives what a row shows now; `nil` if it cannot be read.
    /// - Throws: `CarrierError` if the container cannot be reached; what cannot be written now is left for
    ///   another time.
    func put(
        _ shown: [ShownValue], over carrier: any ContainerCarrier, while mayGoOn: () -> Bool,
        reading content: (ShownValue) -> AttributeValue?
    ) throws(CarrierError) {
        for value in shown {
            guard mayGoOn() else { return }
            let missing = Set(try missing(of: value.large.pieces))
            guard !missing.isEmpty, let content = content(value) else { continue }
            for (name, piece) in zip(value.large.pieces, value.large.objects(of: content))
            where missing.contains(name) {
                guard try put(piece, name, over: carrier) else { return }
            }
        }
    }

    /// Puts pieces there that are owed and missing.
    ///
    /// - Parameters:
    ///   - owed: Their names.
    ///   - carrier: What takes them.
    ///   - mayGoOn: Asked before each one.
    ///   - piece: Gives one; `nil` if it cannot be read.
    /// - Throws: `CarrierError` if the container cannot be reached; what cannot be written now is left for
    ///   another time.
    func put(
        _ owed: Set<ObjectName>, over carrier: any ContainerCarrier, while mayGoOn: () -> Bool,
        reading piece: (ObjectName) -> ContainerObject?
    ) throws(CarrierError) {
        if owed.isEmpty { return }
        for name in try missing(of: owed.sorted { "\($0)" < "\($1)" }) {
            guard mayGoOn() else { return }
            guard let piece = piece(name) else { continue }
            guard try put(piece, name, over: carrier) else { return }
        }
    }

    /// Puts a piece there; false if it cannot be written now.
    private func put(
        _ piece: ContainerObject, _ name: ObjectName, over carrier: any ContainerCarrier
    ) throws(CarrierError) -> Bool {
        do throws(CarrierError) {
            try carrier.put(piece)
        } catch {
            switch error {
            case .readOnly, .full, .tooLarge: return false
            default: throw error
            }
        }
        state.withLock { _ = $0.present?.insert(name) }
        return true
    }

    /// The pieces that are not in the container.
    private func missing(of pieces: [ObjectName]) throws(CarrierError) -> [ObjectName] {
        let isKnown = state.withLock { $0.present != nil }
        if !isKnown { listed(try carrier.list().objects) }
        return state.withLock { state in pieces.filter { !(state.present?.contains($0) ?? false) } }
    }

    /// Reads values that rows are to show, a batch after the other.
    ///
    /// - Parameters:
    ///   - wanted: Where a value has not come.
    ///   - mayGoOn: Asked before each one.
    ///   - body: Takes those that came.
    /// - Throws: `CarrierError` if the container cannot be reached; what `body` throws.
    func get(
        _ wanted: [WantedValue], while mayGoOn: () -> Bool, _ body: (ArrivedValues) throws -> Void
    ) throws {
        var batch = ArrivedValues()
        var byteCount: UInt64 = 0
        for value in wanted where mayGoOn() {
            if batch.values[value.large] == nil {
                guard let content = try content(of: value.large) else { continue }
                batch.values[value.large] = content
                byteCount += value.large.byteCount
            }
            batch.names.insert(value.object)
            if byteCount < Self.batchByteCount { continue }
            try body(batch)
            (batch, byteCount) = (ArrivedValues(), 0)
        }
        if !batch.names.isEmpty { try body(batch) }
    }

    /// The value, if all its pieces are there and whole.
    private func content(of value: LargeValue) throws(CarrierError) -> AttributeValue? {
        guard try missing(of: value.pieces).isEmpty else { return nil }
        var pieces: [ContainerObject] = []
        // Equal pieces have one name, and are read and inflated once.
        var read: [ObjectName: ContainerObject] = [:]
        for name in value.pieces {
            if let piece = read[name] {
                pieces.append(piece)
                continue
            }
            do throws(CarrierError) {
                guard let bytes = try carrier.get(name) else { return nil }
                let piece = try Self.piece(bytes, name)
                read[name] = piece
                pieces.append(piece)
            } catch {
                guard case .unreadable(_, let reason) = error else { throw error }
                state.withLock { $0.unreadable[name] = reason }
                return nil
            }
        }
        return value.value(of: pieces)
    }

    private static func piece(_ bytes: [UInt8], _ name: ObjectName) throws(CarrierError) -> ContainerObject {
        do throws(ObjectFault) {
            return try ContainerObject(reading: bytes, named: name)
        } catch {
            throw .unreadable(name, reason: "\(error)")
        }
    }
}

/// A large value that a row shows.
struct ShownValue: Sendable {
    let large: LargeValue
    let row: RowAddress
    /// The property's place in the row's entity.
    let property: Int
}

/// A large value that a row is to show, and that has not come.
struct WantedValue: Sendable {
    let large: LargeValue
    let object: RecordID
}

extension KeptReplica {
    /// The large values that rows show, of records that name one for which `isMeant` says so.
    func shownValues(where isMeant: (LargeValue) -> Bool = { _ in true }) -> [ShownValue] {
        values.named.filter { $0.value.contains(where: isMeant) }.keys.sorted().flatMap {
            record -> [ShownValue] in
            guard let name = replica.graph.owner(of: record), let row = book.row(of: name),
                let object = replica.graph.object(name, withMembers: false)
            else { return [] }
            return object.largeValues.sorted { $0.key < $1.key }.compactMap { property, large in
                guard !values.isWanted(name, property),
                    let place = replica.model.entity(at: row.entity).propertyIndex(property)
                else { return nil }
                return ShownValue(large: large, row: row, property: place)
            }
        }
    }

    /// The large values that rows are to show.
    var wantedValues: [WantedValue] {
        values.wanted.sorted { $0.key < $1.key }.flatMap { name, properties in
            properties.sorted().compactMap { property in
                replica.graph.largeValue(property, of: name).map { WantedValue(large: $0, object: name) }
            }
        }
    }

    /// What the objects of values that registers name are called by.
    var namedPieces: Set<ObjectHash> {
        values.named.values.reduce(into: []) { pieces, values in
            for value in values { pieces.formUnion(value.pieces.compactMap(\.hash)) }
        }
    }
}
