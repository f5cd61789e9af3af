internal import Synchronization

/// Functions that an application adds to those of predicates, by name.
///
/// ```swift
/// try QueryFunctions.register("prefixOfLength:") { arguments in
///     guard case .string(let text) = arguments[0], case .integer(let count) = arguments[1]
///     else { return .null }
///     return .string(String(text.prefix(Int(clamping: count))))
/// }
/// let predicate = try QueryPredicate(format: "FUNCTION(name, 'prefixOfLength:', 1) == 'h'")
/// ```
///
/// They take the place of the methods that Core Data's `FUNCTION` calls on any object by its selector, which
/// no code foresaw: here it is only what was registered, with the number of arguments that the name says.
/// They run in the process that registered them, for predicates that are evaluated in memory; a store that is
/// asked for one says `QueryError.notInStore` with the function's name.
public enum QueryFunctions {
    /// Makes a value of others: of the operand, then of each argument; an object comes as its id.
    ///
    /// What it throws is what the predicate's evaluation throws. It may be called on any thread.
    public typealias Body = @Sendable (_ arguments: [AttributeValue]) throws(QueryError) -> AttributeValue

    private static let registered = Mutex<[String: Body]>([:])

    /// Adds a function, or puts another in its place: `FUNCTION(operand, 'name:', argument)` has one colon
    /// for each argument.
    ///
    /// - Throws: `QueryError.invalidOperand` if predicates have a function of that name themselves.
    public static func register(_ name: String, _ body: @escaping Body) throws(QueryError) {
        guard QueryFunction(name: name) == nil, !name.isEmpty else {
            throw .invalidOperand("'\(name)' is the name of a function that predicates have themselves")
        }
        registered.withLock { $0[name] = body }
    }

    /// Takes a function away; predicates that call it throw from then on.
    public static func unregister(_ name: String) {
        registered.withLock { _ = $0.removeValue(forKey: name) }
    }

    /// How many arguments a registered function takes, its operand among them; `nil` if there is none.
    static func argumentCount(of name: String) -> Int? {
        registered.withLock { $0[name] } == nil ? nil : 1 + name.utf8.count { $0 == UInt8(ascii: ":") }
    }

    /// A registered function that takes so many arguments.
    static func body(of name: String, argumentCount: Int) -> Body? {
        guard self.argumentCount(of: name) == argumentCount else { return nil }
        return registered.withLock { $0[name] }
    }
}
