import CofferModel

/// A value as stores compare it: texts by their bytes, while Swift takes "é" for equal however it is written.
struct ExactValue: Hashable {
    let value: AttributeValue

    init(_ value: AttributeValue) { self.value = value }

    private var text: String? {
        switch value {
        case .string(let text), .uri(let text): text
        default: nil
        }
    }

    static func == (left: ExactValue, right: ExactValue) -> Bool {
        guard let first = left.text, let second = right.text else { return left.value == right.value }
        return first.utf8.elementsEqual(second.utf8)
    }

    func hash(into hasher: inout Hasher) {
        guard let text else { return hasher.combine(value) }
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
