/// Names on the bus.
package enum BusNames {
    /// The well-known name, and the main interface.
    package static let name = "org.coffer.Storage1"
    /// The main object.
    package static let path = "/org/coffer/Storage1"
    static let storesPath = path + "/stores"
    static let clientsPath = path + "/clients"
    static let accountsPath = path + "/accounts"
    static let storeInterface = name + ".Store"
    static let ubiquitousStoreInterface = name + ".UbiquitousStore"
    static let clientInterface = name + ".Client"
    static let accountsInterface = name + ".Accounts"
    static let accountInterface = name + ".Account"
}
