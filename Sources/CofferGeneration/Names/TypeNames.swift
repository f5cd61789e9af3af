import CofferModel

/// How the types that generated text uses are written among the classes of an application.
struct TypeNames: Sendable {
    private let taken: Set<String>

    /// Names beside the classes `taken`.
    init(taken: Set<String>) { self.taken = taken }

    /// A type of Swift, Foundation or Coffer: with its module if a class of the application has the type's
    /// name.
    func callAsFunction(_ name: String) -> String {
        guard taken.contains(name), let module = ReservedNames.used[name] else { return name }
        return "\(module).\(name)"
    }

    /// A name for a generic parameter that no class has.
    func unused(_ name: String) -> String { taken.contains(name) ? unused(name + "_") : name }

    /// The Swift type of an attribute's values, null left out.
    func type(of type: AttributeType) -> String {
        switch type {
        case .integer16: self("Int16")
        case .integer32: self("Int32")
        case .integer64: self("Int64")
        case .decimal: self("Decimal")
        case .double: self("Double")
        case .float: self("Float")
        case .string: self("String")
        case .boolean: self("Bool")
        case .date: self("Date")
        case .binary, .transformable: self("Data")
        case .uuid: self("UUID")
        case .uri: self("URL")
        }
    }
}
