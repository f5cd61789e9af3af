/// The elements and attributes that Xcode writes into model files, whether or not a definition has a place
/// for them.
///
/// Source: 224 model files of Xcode 4 to 15, and what Xcode's inspectors offer besides.
struct ModelVocabulary {
    /// What may stand in one element.
    struct Element {
        let attributes: Set<String>
        let children: Set<String>

        init(_ attributes: String, children: String = "") {
            self.attributes = Set(attributes.split(separator: " ").map { String($0) })
            self.children = Set(children.split(separator: " ").map { String($0) })
        }
    }

    /// What Xcode writes for any property.
    private static let property = """
        name optional transient syncable versionHashModifier elementID storedInTruthFile indexed spotlightIndexingEnabled \
        usesScalarValueType customClassName
        """

    /// The elements of a model by their names, each of which has one meaning wherever it stands.
    static let elements: [String: Element] = [
        "model": Element(
            """
            name type documentVersion lastSavedToolsVersion systemVersion minimumToolsVersion macOSVersion iOSVersion tvOSVersion \
            watchOSVersion sourceLanguage userDefinedModelVersionIdentifier usedWithCloudKit usedWithSwiftData
            """, children: "entity composite configuration fetchRequest elements userInfo"),
        "entity": Element(
            """
            name representedClassName parentEntity isAbstract syncable codeGenerationType elementID versionHashModifier \
            coreSpotlightDisplayNameExpression
            """,
            children: """
                attribute relationship fetchedProperty fetchIndex compoundIndexes uniquenessConstraints userInfo
                """),
        "composite": Element("name elementID syncable versionHashModifier", children: "attribute userInfo"),
        "attribute": Element(
            property + """
                 attributeType composite defaultValueString defaultDateTimeInterval minValueString maxValueString \
                minDateTimeInterval maxDateTimeInterval regularExpressionString valueTransformerName \
                allowsExternalBinaryDataStorage allowsCloudEncryption preserveAfterDeletion derived derivationExpression
                """, children: "userInfo"),
        "relationship": Element(
            property
                + " toMany ordered minCount maxCount deletionRule destinationEntity inverseName inverseEntity",
            children: "userInfo"),
        "fetchedProperty": Element(property, children: "fetchRequest userInfo"),
        "fetchRequest": Element(
            """
            name entity predicateString fetchLimit fetchBatchSize resultType includeSubentities includePropertyValues \
            includePendingChanges includesPendingChanges returnObjectsAsFaults returnDistinctResults
            """, children: "userInfo"),
        "fetchIndex": Element(
            "name elementID versionHashModifier partialIndexPredicate", children: "fetchIndexElement"),
        "fetchIndexElement": Element("property expression expressionType type order"),
        "compoundIndexes": Element("", children: "compoundIndex"),
        "compoundIndex": Element("", children: "index"),
        "index": Element("value"),
        "uniquenessConstraints": Element("", children: "uniquenessConstraint"),
        "uniquenessConstraint": Element("", children: "constraint"),
        "constraint": Element("value"),
        "configuration": Element("name usedWithCloudKit", children: "memberEntity"),
        "memberEntity": Element("name"),
        "userInfo": Element("", children: "entry"),
        "entry": Element("key value"),
        "elements": Element("", children: "element"),
        "element": Element("name positionX positionY width height"),
    ]
}
