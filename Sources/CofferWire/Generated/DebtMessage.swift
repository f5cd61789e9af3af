// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What a store owes to the container of an account.
///
/// `coffer.v1.Debt`.
package struct DebtMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// The number of the account.
    package var account: UInt32
    /// How often it has written something that is not there yet.
    package var unexported: UInt64

    /// A message from its fields.
    package init(name: StoreNameMessage, account: UInt32, unexported: UInt64) {
        self.name = name
        self.account = account
        self.unexported = unexported
    }
}

extension DebtMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Debt>) {
        unsafe coffer__v1__debt__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Debt>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.Debt.name")
        account = unsafe c.account
        unexported = unsafe c.unexported
    }

    func fill(_ c: inout Coffer__V1__Debt, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.account = account
        unsafe c.unexported = unexported
    }
}
