package import CofferMerge
internal import CofferModel

/// Cuts registers into runs that fit an object.
package enum RegisterRuns {
    /// Registers in their order, in runs of at most so many and of roughly so many bytes: one that is larger
    /// than that is a run for itself.
    package static func cut(
        _ registers: [Register], byteCount limit: Int, count: Int = .max
    ) -> [[Register]] {
        var runs: [[Register]] = []
        var run: [Register] = []
        var total = 0
        for register in registers {
            let size = register.roughByteCount
            if !run.isEmpty, run.count >= count || total + size > limit {
                runs.append(run)
                (run, total) = ([], 0)
            }
            run.append(register)
            total += size
        }
        return run.isEmpty ? runs : runs + [run]
    }

    /// Registers in such runs that keep together what was saved at once, with what it names: as long as it is
    /// of no more than `Limits.objectsAtOnce` objects and fits `limit`, however many registers that is.
    package static func cutBetweenSaves(
        _ registers: [Register], byteCount limit: Int, count: Int
    ) -> [[Register]] {
        var runs: [[Register]] = []
        var run: [Register] = []
        var total = 0
        for group in SavedTogether(registers).groups(ofAtMost: Limits.objectsAtOnce) {
            let more = group.map { registers[$0] }
            let size = more.reduce(0) { $0 + $1.roughByteCount }
            if !run.isEmpty, run.count + more.count > count || total + size > limit {
                runs.append(run)
                (run, total) = ([], 0)
            }
            if size > limit {
                runs += cut(more, byteCount: limit, count: count)
            } else {
                run += more
                total += size
            }
        }
        return run.isEmpty ? runs : runs + [run]
    }
}

extension Register {
    /// How many bytes it has in an object before deflate, roughly and rather more.
    var roughByteCount: Int {
        let fixed = 48
        switch self {
        case .life, .pair, .same: return fixed
        case .place(_, let place): return fixed + place.value.bytes.count
        case .cell(_, _, let cell):
            switch cell.value.content {
            case .null, .record: return fixed
            case .large(let value): return fixed + value.hashes.count
            case .value(let value):
                switch value {
                case .string(let text), .uri(let text): return fixed + text.utf8.count
                case .binary(let bytes), .transformable(let bytes): return fixed + bytes.count
                default: return fixed
                }
            }
        }
    }
}
