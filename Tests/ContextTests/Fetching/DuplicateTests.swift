import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// The uniquing of 2012, as `SharedStores.md` has it.
func removeDuplicates(in context: ManagedObjectContext) throws {
    var groups = FetchRequest<ManagedObject>(entityName: "Contact")
    groups.propertiesToFetch = ["mail"]
    groups.groupBy = ["mail"]
    groups.expressionsToFetch = [try NamedExpression("count", format: "count:(mail)")]
    groups.having = try QueryPredicate(format: "count > 1")
    for group in try context.fetchDictionaries(groups) {
        var contacts = FetchRequest<ManagedObject>(
            entityName: "Contact", try QueryPredicate(format: "mail == %@", group["mail"] ?? .null))
        contacts.sortDescriptors = [QuerySort("token")]
        for duplicate in try context.fetch(contacts).dropFirst() { context.delete(duplicate) }
    }
    if context.hasChanges { try context.save() }
}

@Test(arguments: Backing.all)
func `of objects that agree the same one stays, whatever the order in which they came`(on backing: Backing)
    throws
{
    let model = try ManagedObjectModel {
        Entity("Contact") {
            Field("mail", .string)
            Field("token", .string)
        }
    }
    for order in [["1", "2", "3"], ["3", "1", "2"]] {
        try withContainer(model, on: backing) { container in
            let context = container.newContext()
            for token in order {
                for mail in ["a@example.org", "b\(token)@example.org"] {
                    let contact = try context.insert(entityNamed: "Contact")
                    try contact.setValue(.string(mail), forKey: "mail")
                    try contact.setValue(.string(token), forKey: "token")
                }
            }
            try context.save()
            try removeDuplicates(in: context)
            let left = try container.newContext().all("Contact")
            #expect(
                left.filter { $0["mail"] == .string("a@example.org") }.map { $0["token"] } == [.string("1")])
            #expect(left.count == 4)
        }
    }
}
