internal import CofferFormats
internal import CofferModel

extension StoreBacking {
    /// Writes what the open transaction of `writer` leaves into the file; `nil` if there is no file.
    ///
    /// - Throws: why it could not be written; the file is the old one then.
    func publish(from writer: StoreWriter) throws(StoreError) -> AtomicPublication? {
        guard let file else { return nil }
        return try file.publish(try bytes(from: writer, file.format))
    }

    /// A whole file of a format with what the open transaction of `writer` leaves; a plain one has nothing
    /// that is Coffer's own.
    func bytes(
        from writer: StoreWriter, _ format: any AtomicFormat, isPlain: Bool = false
    ) throws(StoreError) -> [UInt8] {
        var metadata = try writer.file.metadata(on: writer.connection)
        metadata.storeType = format.metadataName
        metadata.autoVacuumLevel = nil
        var content = AtomicStoreContent(uuid: writer.file.uuid)
        var said = try AtomicMetadata(of: writer, metadata)
        said.isPlain = isPlain
        do throws(FormatError) {
            content.metadata = try said.dictionary()
        } catch {
            throw StoreError(error, path: path)
        }
        content.lastObjectNumber = UInt64(max(0, try writer.lastKeys().values.max() ?? 0))
        content.objects = try AtomicGraph(of: writer).objects()
        return try format.bytes(of: content, writer.file.schema.model, path: path)
    }
}

extension StoreError {
    /// The one place where errors of files that are written as a whole become errors of a store.
    init(_ error: FormatError, path: String) {
        self =
            switch error {
            case .unrepresentable(let entity, _, let property, _) where !property.isEmpty:
                .unsupported(entity: entity, property: property, detail: error.reason)
            case .refused(_, let reason): .tooLarge("'\(path)': \(reason)")
            case .unsupported(_, let reason): .damaged(path: path, detail: reason)
            default: .damaged(path: path, detail: error.reason)
            }
    }
}

extension FormatError {
    /// What is wrong, without the path.
    fileprivate var reason: String {
        switch self {
        case .malformed(let place, let reason):
            "in line \(place.line)\(place.element.isEmpty ? "" : ", \(place.element)"), \(reason)"
        case .damagedStore(_, let offset, let reason): "at byte \(offset), \(reason)"
        case .unrepresentable(_, let object, _, let reason): "the value of the object \(object): \(reason)"
        default: "\(self)"
        }
    }
}
