import ArgumentParser

/// What a process of its own does.
enum WorkerTask: String, CaseIterable, ExpressibleByArgument {
    /// Inserts all contacts in batches.
    case insert
    /// Saves one change after another, for as long as it is told.
    case save
    /// Looks contacts up by their e-mail.
    case find
    /// Fetches all contacts.
    case fetchAll
    /// Makes orders, customers and regions.
    case fillOrders
    /// Looks orders up across two relationships.
    case findOrders
    /// Reads properties of objects whose values are there.
    case readProperties
    /// Walks through contacts that it found without values.
    case walk
    /// Reads contacts one by one, by their keys.
    case fire
    /// Walks from customers to their orders.
    case traverse
    /// Weighs faults, and objects with values.
    case weigh
    /// Saves changes that a `watch` of its own waits for.
    case notify
    /// Waits for changes and tells when each was seen.
    case watch
    /// Changes many contacts in one save whenever it is told.
    case saveGroup
    /// Waits for such saves and tells when all their values can be read.
    case watchGroup
    /// Shows all contacts in a list and tells how long a change of one took to come there.
    case follow
    /// Opens the store, and tells how long that took.
    case open
    /// Saves all contacts at once into a new store of each type.
    case saveWhole
    /// Writes all rows as JSON.
    case dump
    /// Takes the store to a new file of each type.
    case retype
    /// Copies the store again and again while others save.
    case backUp
    /// Takes a store to another model object by object.
    case migrate
    /// Fetches one contact as the first thing it does.
    case first
    /// Opens the store, and then does nothing.
    case idle
    /// Sends bytes to an `echo` of its own.
    case ping
    /// Sends back what comes.
    case echo
}
