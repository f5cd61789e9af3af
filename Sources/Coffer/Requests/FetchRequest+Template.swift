public import CofferModel

extension ManagedObjectModel {
    /// A fetch request made of a template of the model, with values for its variables.
    ///
    /// ```swift
    /// let request = try model.fetchRequestFromTemplate(
    ///     withName: "longBooks", substitutionVariables: ["LEAST": 500], for: Book.self)
    /// ```
    ///
    /// It is a request like any other, to be sorted and limited further; Core Data gives `nil` if there is no
    /// such template, and fails later if a variable is missing.
    /// - Parameters:
    ///   - name: The template's name.
    ///   - substitutionVariables: By the variables' names without `$`; values, collections or ids of objects.
    ///   - type: The class of the objects.
    /// - Returns: The request.
    /// - Throws: `CofferError.unknown` if the model has no such template; `.predicate` if its predicate
    ///   cannot be read, or a variable has no value.
    public func fetchRequestFromTemplate<Object: ManagedObject>(
        withName name: String, substitutionVariables: [String: any QueryArgument] = [:],
        for type: Object.Type = ManagedObject.self
    ) throws(CofferError) -> FetchRequest<Object> {
        guard let template = fetchRequestTemplate(forName: name) else {
            throw .unknown(kind: "fetch request template", name: name)
        }
        return try FetchRequest(template) { variable, keys in
            keys.isEmpty ? substitutionVariables[variable]?.queryExpression : nil
        }
    }
}

extension FetchRequest {
    /// What a template asks for, with what `value` gives in place of `$variable.keys`.
    init(
        _ template: FetchRequestTemplate,
        _ value: (_ variable: String, _ keys: [String]) throws(CofferError) -> QueryExpression?
    ) throws(CofferError) {
        self.init(entityName: template.entityName)
        if let format = template.predicate {
            let read: QueryPredicate
            do throws(QueryError) {
                read = try QueryPredicate(format: format, arguments: [])
            } catch {
                throw .predicate(error)
            }
            let filled = try read.replacingVariables(value)
            if let missing = filled.unfilledVariables.first { throw .predicate(.unfilledVariable(missing)) }
            predicate = filled
        }
        limit = template.limit > 0 ? template.limit : nil
        includesSubentities = template.includesSubentities
        includesPendingChanges = template.includesPendingChanges
        returnsDistinctResults = template.returnsDistinctResults
        sortDescriptors = template.sortDescriptors
    }
}
