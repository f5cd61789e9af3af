/// One thing that was done to one object; it holds the object, so that undo brings that very object back.
enum UndoOperation {
    /// The object was inserted.
    case insertion(ManagedObject, UndoCourse = UndoCourse())
    /// The object was deleted; it had these contents and members.
    case deletion(ManagedObject, DeletedContents, UndoCourse = UndoCourse())
    /// A property that is not to-many changed.
    case content(ManagedObject, slot: Int, old: PropertyContent, new: PropertyContent)
    /// An object entered a to-many relationship, or left one into which it had entered since the last save or
    /// not.
    case member(ManagedObject, slot: Int, ObjectReference, MemberChange)
    /// The members of an ordered relationship got another order.
    case order(ManagedObject, slot: Int, old: [ObjectReference], new: [ObjectReference])

    /// Which object.
    var object: ManagedObject {
        switch self {
        case .insertion(let object, _), .deletion(let object, _, _), .content(let object, _, _, _),
            .member(let object, _, _, _), .order(let object, _, _, _):
            object
        }
    }

    /// The operation without objects that are gone; `nil` if nothing is left of it.
    func without(_ gone: Set<ObjectReference>) -> UndoOperation? {
        switch self {
        case .insertion: self
        case .deletion(let object, let contents, let course):
            .deletion(object, contents.without(gone), course)
        case .content(let object, let slot, let old, let new):
            old.without(gone) == new.without(gone)
                ? nil : .content(object, slot: slot, old: old.without(gone), new: new.without(gone))
        case .member(_, _, let member, _): gone.contains(member) ? nil : self
        case .order(let object, let slot, let old, let new):
            .order(
                object, slot: slot, old: old.filter { !gone.contains($0) },
                new: new.filter { !gone.contains($0) })
        }
    }

    /// The operation with its objects named by `name`.
    func renamed(_ name: (ObjectReference) -> ObjectReference) -> UndoOperation {
        switch self {
        case .insertion: self
        case .deletion(let object, let contents, let course):
            .deletion(object, contents.renamed(name), course)
        case .content(let object, let slot, let old, let new):
            .content(object, slot: slot, old: old.renamed(name), new: new.renamed(name))
        case .member(let object, let slot, let member, let change):
            .member(object, slot: slot, name(member), change)
        case .order(let object, let slot, let old, let new):
            .order(object, slot: slot, old: old.map(name), new: new.map(name))
        }
    }
}

/// What became of an operation, which others may have overtaken.
final class UndoCourse {
    /// Whether it was carried out when its turn came last: what was left out is not reversed either.
    var isDone = true
    /// The store that a new object was assigned to when its insertion was undone, by its place in the
    /// context's list.
    var assignedStore: Int16?
}

/// What became of a member of a to-many relationship.
enum MemberChange {
    /// The member entered, and had not left since the context saved last.
    case entered
    /// The member entered again: taking that back means leaving again, which cannot be known while
    /// the stored members are unread.
    case enteredAgain
    /// The member left, and had been there when the context saved last, or that is not known.
    case left
    /// The member left, and had entered since then.
    case leftAgain
}

/// What an object had when it was deleted.
struct DeletedContents {
    var wasInserted: Bool
    /// Under which key: another one by now means that it came back meanwhile.
    var reference: ObjectReference
    /// The store that it was assigned to, if it was not saved.
    var assignedStore: Int16?
    var contents: [(slot: Int, content: PropertyContent)]
    /// The members of to-many relationships, as far as they were known.
    var members: [(slot: Int, members: [ObjectReference])]

    func renamed(_ name: (ObjectReference) -> ObjectReference) -> DeletedContents {
        DeletedContents(
            wasInserted: wasInserted, reference: name(reference), assignedStore: assignedStore,
            contents: contents.map { ($0, $1.renamed(name)) },
            members: members.map { ($0, $1.map(name)) })
    }

    func without(_ gone: Set<ObjectReference>) -> DeletedContents {
        DeletedContents(
            wasInserted: wasInserted, reference: reference, assignedStore: assignedStore,
            contents: contents.map { ($0, $1.without(gone)) },
            members: members.map { slot, members in (slot, members.filter { !gone.contains($0) }) })
    }
}

extension PropertyContent {
    /// The content, or null if it leads to an object that is gone.
    fileprivate func without(_ gone: Set<ObjectReference>) -> PropertyContent {
        reference.map(gone.contains) ?? false ? .null : self
    }
}
