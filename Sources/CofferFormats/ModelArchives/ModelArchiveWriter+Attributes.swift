import CofferModel
import FoundationEssentials

extension ModelArchiveWriter {
    /// What an attribute's object holds.
    mutating func values(
        of attribute: AttributeDefinition, in entity: PropertyListValue
    ) -> [String: PropertyListValue] {
        let rules = validationRules(of: attribute)
        let bits = PropertyBits(
            isOptional: attribute.isOptional, isTransient: attribute.isTransient,
            isReadOnly: attribute.derivationExpression != nil, isTextIndexed: attribute.isTextIndexed,
            hasModifier: attribute.versionHashModifier != nil, hasValidation: !rules.isEmpty,
            hasUserInfo: !attribute.userInfo.isEmpty)
        let flags =
            (attribute.allowsExternalStorage ? ModelArchiveFlags.external : 0)
            | (attribute.preservesValueOnDeletion ? ModelArchiveFlags.preserved : 0)
        var values: [String: PropertyListValue] = [
            "_P": .integer(bits.value), "NSEntity": entity, "NSFlagsKey": .integer(flags),
            "NSPropertyName": builder.add(attribute.name),
            "NSRenamingIdentifier": builder.add(attribute.renamingIdentifier ?? attribute.name),
            "NSAttributeType": .integer(Int64(attribute.type.rawValue)),
            "NSAttributeValueClassName": builder.add(attribute.type.archivedClass),
            "NSValueTransformerName": builder.add(attribute.transformerName),
            "NSDefaultValue": defaultValue(attribute.defaultValue),
        ]
        add(rules, to: &values)
        if !attribute.userInfo.isEmpty { values["NSUserInfo"] = userInfo(attribute.userInfo) }
        if attribute.isOptional { values["NSIsOptional"] = .boolean(true) }
        if attribute.isTransient { values["NSIsTransient"] = .boolean(true) }
        if attribute.isIndexed { values["NSIsIndexed"] = .boolean(true) }
        if attribute.isTextIndexed { values["NSIndexedBySpotlight"] = .boolean(true) }
        if let modifier = attribute.versionHashModifier {
            values["NSVersionHashModifier"] = builder.add(modifier)
        }
        if let expression = attribute.derivationExpression {
            values["NSIsReadOnly"] = .boolean(true)
            values["NSFilteringPredicate"] = KeyedArchiveBuilder.null
            values["NSDerivationExpression"] = derivation(expression)
        }
        return values
    }

    private mutating func defaultValue(_ value: AttributeValue) -> PropertyListValue {
        switch value {
        case .integer(let number): builder.add(.integer(number))
        case .boolean(let flag): builder.add(.boolean(flag))
        case .double(let number): builder.add(.real(number))
        case .float(let number): builder.add(.real(Double(number)))
        case .string(let text): builder.add(text)
        case .uri(let text):
            builder.add(
                ["NSURL", "NSObject"],
                ["NS.base": KeyedArchiveBuilder.null, "NS.relative": builder.add(text)])
        case .date(let date):
            builder.add(["NSDate", "NSObject"], ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
        case .binary(let bytes): builder.add(.data(bytes))
        case .uuid(let uuid):
            builder.add(["NSUUID", "NSObject"], ["NS.uuidbytes": .data(Self.bytes(of: uuid))])
        // The archived form of decimals is not known; transformers run in applications only.
        case .null, .decimal, .transformable, .object: KeyedArchiveBuilder.null
        }
    }

    private static func bytes(of uuid: UUID) -> [UInt8] {
        let digits = uuid.uuidString.utf8.filter { $0 != UInt8(ascii: "-") }
        return stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(String(decoding: digits[place..<place + 2], as: UTF8.self), radix: 16)
        }
    }

    /// An expression that derives an attribute: a key path, or a function of one or of nothing.
    private mutating func derivation(_ text: String) -> PropertyListValue {
        let derivation = ArchivedDerivation(text)
        guard let selector = derivation.selector else {
            return keyPath(derivation.keyPath ?? "", of: selfExpression())
        }
        let arguments = derivation.keyPath.map { [keyPath($0, of: selfExpression())] } ?? []
        let utilities = builder.add(
            ["NSConstantValueExpression", "NSExpression", "NSObject"],
            [
                "NSExpressionType": .integer(0),
                "NSConstantValueClassName": builder.add("_NSPredicateUtilities"),
            ])
        return builder.add(
            ["NSFunctionExpression", "NSExpression", "NSObject"],
            [
                "NSExpressionType": .integer(4), "NSOperand": utilities,
                "NSSelectorName": builder.add(selector),
                "NSArguments": builder.add(array: arguments),
            ])
    }
}

extension AttributeType {
    /// The class of an attribute's values on Apple's platforms; `nil` if the transformer decides.
    fileprivate var archivedClass: String? {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .transformable: nil
        }
    }
}
