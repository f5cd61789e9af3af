import CofferModel
import CofferWire
import FoundationEssentials

/// Random messages.
extension Dice {
    mutating func decimal() -> Decimal {
        let mantissa = UInt128(next()) << 64 | UInt128(next())
        let parts = DecimalParts(
            isNegative: flag(), exponent: Int8(below(60) - 40), mantissa: mantissa >> UInt128(below(127)))
        return parts.decimal.flatMap { $0.isNaN ? nil : $0 } ?? 0
    }

    mutating func objectID() -> ManagedObjectID {
        let index = below(50)
        let entity = EntityDescription(
            definition: EntityDefinition(""), index: index, superentityIndex: nil, subentityIndices: [],
            rootIndex: index, rootName: "", familyIndices: index..<(index + 1), properties: [])
        return ManagedObjectID(
            entity: entity, storeUUID: nil, key: flag() ? .permanent(key()) : .temporary(uuid()))
    }

    mutating func value() -> AttributeValue {
        switch below(13) {
        case 0: .null
        case 1: .integer(key())
        case 2: .boolean(flag())
        case 3: .double(double())
        case 4: .float(Float(double()))
        case 5: .decimal(decimal())
        case 6: .string(text())
        case 7: .date(Date(timeIntervalSinceReferenceDate: double()))
        case 8: .binary(bytes())
        case 9: .uuid(uuid())
        case 10: .uri(text())
        case 11: .transformable(bytes())
        default: .object(objectID())
        }
    }

    mutating func values(_ rows: Int) -> ColumnValues {
        switch below(8) {
        case 0: .integers(self.rows(rows) { $0.key() })
        case 1: .bits(bytes((rows + 7) / 8))
        case 2: .doubles(self.rows(rows) { $0.double() })
        case 3: .floats(self.rows(rows) { Float($0.double()) })
        case 4: .bytes(runs(rows))
        case 5: .uuids(bytes(16 * rows))
        case 6: .decimals(bytes(18 * rows))
        default: .references(keys: self.rows(rows) { $0.key() }, entities: self.rows(rows) { $0.number32() })
        }
    }

    mutating func runs(_ rows: Int) -> ByteRuns {
        var runs = ByteRuns()
        for _ in 0..<rows {
            runs.data += bytes()
            runs.ends.append(UInt32(runs.data.count))
        }
        return runs
    }

    mutating func column(_ rows: Int) -> Column {
        Column(property: below(100), nulls: flag() ? [] : bytes((rows + 7) / 8), values: values(rows))
    }

    mutating func columns(_ rows: Int) -> [Column] { list { $0.column(rows) } }

    mutating func batch(rows count: Int? = nil) -> RowBatch {
        let count = count ?? below(20)
        return RowBatch(
            rowCount: count, entity: below(50), entities: flag() ? [] : rows(count) { $0.number32() },
            primaryKeys: flag() ? [] : rows(count) { $0.key() },
            versions: flag() ? [] : rows(count) { $0.number32() }, columns: columns(count))
    }

    mutating func keyPath() -> [String] { list { $0.text() } }

    mutating func expression(_ depth: Int) -> QueryExpression {
        switch below(depth > 0 ? 8 : 4) {
        case 0: .constant(value())
        case 1: .evaluatedObject
        case 2: .keyPath(keyPath())
        case 3: .variable(text(), keyPath: keyPath())
        case 4: .collection(list { $0.expression(depth - 1) })
        case 5: .function(text(), list { $0.expression(depth - 1) })
        case 6:
            .subquery(
                collection: expression(depth - 1), variable: text(), predicate: predicate(depth - 1),
                keyPath: keyPath())
        default:
            .conditional(
                predicate(depth - 1), then: expression(depth - 1), otherwise: expression(depth - 1))
        }
    }

    mutating func predicate(_ depth: Int = 4) -> QueryPredicate {
        switch below(depth > 0 ? 5 : 1) {
        case 0: return .always(flag())
        case 1: return .and(list { $0.predicate(depth - 1) })
        case 2: return .or(list { $0.predicate(depth - 1) })
        case 3: return .not(predicate(depth - 1))
        default:
            let operators = QueryComparison.Operator.allCases
            let modifiers = QueryComparison.Modifier.allCases
            return .comparison(
                QueryComparison(
                    expression(depth - 1), operators[below(operators.count)], expression(depth - 1),
                    modifier: modifiers[below(modifiers.count)],
                    options: QueryComparison.Options(rawValue: UInt8(below(16)))))
        }
    }

    mutating func fetch() -> FetchDescription {
        var fetch = FetchDescription(entityName: text(), predicate: maybe { $0.predicate() })
        fetch.sortDescriptors = list {
            QuerySort(keyPath: $0.keyPath(), isAscending: $0.flag(), comparison: .localized)
        }
        fetch.limit = below(1_000)
        fetch.offset = below(1_000)
        fetch.includesSubentities = flag()
        fetch.resultType = FetchDescription.ResultType.allCases[below(4)]
        fetch.propertiesToFetch = keyPath()
        fetch.returnsDistinctResults = flag()
        fetch.expressions = list { dice in
            NamedExpression(
                dice.text(), .function("sum:", [.keyPath(dice.keyPath()), .constant(dice.value())]),
                type: dice.flag() ? .decimal : nil)
        }
        fetch.groupBy = keyPath()
        fetch.having = maybe { $0.predicate() }
        fetch.locale = text()
        return fetch
    }
}
