/// What a reader found wrong without effect on data.
///
/// Confined to one reading.
final class ModelNotices {
    private(set) var warnings: [ModelWarning] = []

    func add(_ element: XMLElement, _ reason: String, file: String) {
        let place = TextLocation(
            file: file, line: element.line, column: element.column, element: element.label)
        add(ModelWarning(place: place, reason: reason))
    }

    func add(_ warning: ModelWarning) { warnings.append(warning) }
}
