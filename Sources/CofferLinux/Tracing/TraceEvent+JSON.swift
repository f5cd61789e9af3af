extension TraceEvent {
    /// The event as a JSON object without a line's end; times are microseconds.
    ///
    /// Texts are cut at `Limits.traceText` bytes, so that no event is longer than a pipe takes whole.
    package func json(process: Int32, thread: Int32) -> [UInt8] {
        var text = "{\"name\":\(Self.quoted(name)),\"cat\":\(Self.quoted(category)),"
        switch kind {
        case .span(let nanoseconds): text += "\"ph\":\"X\",\"dur\":\(Self.microseconds(nanoseconds)),"
        case .instant: text += "\"ph\":\"i\",\"s\":\"t\","
        case .flow(let step, let id):
            text += "\"ph\":\"\(step.rawValue)\",\"id\":\(id),"
            if step == .end { text += "\"bp\":\"e\"," }  // To the span around it, not to the next one.
        case .name: text += "\"ph\":\"M\","
        }
        text += "\"ts\":\(Self.microseconds(begin)),\"pid\":\(process),\"tid\":\(row ?? thread)"
        if !arguments.isEmpty {
            let parts = arguments.prefix(Limits.traceArguments).map {
                "\(Self.quoted($0.key)):\($0.value.json)"
            }
            text += ",\"args\":{" + parts.joined(separator: ",") + "}"
        }
        return Array((text + "}").utf8)
    }

    private static func microseconds(_ nanoseconds: UInt64) -> String {
        let rest = String(nanoseconds % 1_000)
        return "\(nanoseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    fileprivate static func quoted(_ text: String) -> String {
        var result = "\""
        var count = 0
        for scalar in text.unicodeScalars {
            count += scalar.utf8.count
            if count > Limits.traceText { break }
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            // What cannot stand in JSON says nothing in a name either.
            case _ where scalar.value < 0x20: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension TraceEvent.Argument {
    fileprivate var json: String {
        switch self {
        case .text(let text): TraceEvent.quoted(text)
        case .number(let number): "\(number)"
        case .flag(let flag): flag ? "true" : "false"
        }
    }
}
