extension QueryPredicate {
    /// Reads a predicate as Core Data writes it, for example `name BEGINSWITH[cd] %@ AND age > %d`.
    ///
    /// - Parameters:
    ///   - format: Comparisons, joined by `AND`, `OR` and `NOT`. Keywords may be written in any case,
    ///     `#word` is a key that is spelt like a keyword. Dates and UUIDs may be written as texts if they
    ///     are compared with attributes of these types: `born < "2001-01-31T12:00:00+01:00"`, in UTC if no
    ///     zone is named.
    ///   - arguments: One for each placeholder: `%@` takes a value, `%K` the text of a key path, `%d` an
    ///     integer, `%f` a number. A placeholder in quotes is text.
    /// - Throws: `QueryError`, with the place in `format` and what was expected there.
    /// - Complexity: O(characters).
    public init(format: String, _ arguments: any QueryArgument...) throws(QueryError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Reads a predicate as Core Data writes it, with its arguments in an array.
    ///
    /// - Throws: `QueryError`, with the place in `format` and what was expected there.
    public init(format: String, arguments: [any QueryArgument]) throws(QueryError) {
        var parser = try FormatParser(format, arguments)
        self = try parser.wholePredicate(format: format)
    }

    /// Reads a predicate as Core Data writes it, and checks it against an entity.
    ///
    /// - Throws: `QueryError`, with the place in `format`; what does not fit the model is `.misfit`.
    public init(
        format: String, arguments: [any QueryArgument] = [], for entity: EntityDescription,
        in model: ManagedObjectModel
    ) throws(QueryError) {
        var parser = try FormatParser(format, arguments)
        parser.notedComparisons = []
        self = try parser.wholePredicate(format: format)
        var check = PredicateCheck(entity: entity, model: model)
        do throws(QueryError) {
            _ = try check.checked(self)
        } catch {
            guard let place = check.comparison.flatMap({ parser.place(of: error, in: $0) }) else {
                throw error
            }
            throw .misfit(error, at: place)
        }
    }
}

extension QueryExpression {
    /// Reads an expression as it stands on one side of a comparison, for example `count:(pages)` or `price *
    /// 1.2`.
    ///
    /// - Throws: `QueryError`, with the place in `format` and what was expected there.
    public init(format: String, _ arguments: any QueryArgument...) throws(QueryError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Reads an expression as it stands on one side of a comparison, with its arguments in an array.
    ///
    /// - Throws: `QueryError`, with the place in `format` and what was expected there.
    public init(format: String, arguments: [any QueryArgument]) throws(QueryError) {
        var parser = try FormatParser(format, arguments)
        self = try parser.wholeExpression(format: format)
    }

    /// Reads an expression of a mapping model, in which `FUNCTION` also calls any method of a variable such
    /// as `$manager`.
    ///
    /// - Throws: `QueryError`, with the place in `format` and what was expected there.
    package init(mappingFormat format: String) throws(QueryError) {
        var parser = try FormatParser(format, [])
        parser.takesCallsOfVariables = true
        self = try parser.wholeExpression(format: format)
    }
}
