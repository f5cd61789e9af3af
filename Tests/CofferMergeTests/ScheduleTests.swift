import CofferMerge
import CofferModel
import Testing

/// The schedules of the design that break simpler rules, each by its number there.
@Suite struct `The graph of a known schedule` {
    @Test func `S1: equal keys are one only while they agree`() {
        var story = Story()
        story.insert(person(1), person(2))
        story.set(person(1), "email", to: "e1", at: 1)
        story.set(person(2), "email", to: "e1", at: 3)
        story.set(person(2), "name", to: "Seven", at: 3)
        #expect(story.object(person(2))?.records == [person(1), person(2)])
        #expect(story.text(person(1), "name") == "Seven")
        story.set(person(1), "email", to: "e2", at: 5)
        #expect(story.object(person(2))?.records == [person(2)])
        #expect(story.text(person(1), "name") == nil && story.text(person(1), "email") == "e2")
    }

    @Test func `S2: a link made after its target went is not lost to it`() {
        var story = Story()
        story.insert(item(1), item(2), item(3))
        story.link(item(1), "buddy", to: item(2), at: 1)
        story.delete(item(2), at: 7)
        #expect(story.target(item(1), "buddy") == nil)
        story.link(item(1), "buddy", to: item(3), at: 5)
        #expect(story.target(item(1), "buddy") == item(3))
    }

    @Test func `S3: a link shows again who was brought back`() {
        var story = Story()
        story.insert(item(1), item(2))
        story.link(item(1), "buddy", to: item(2), at: 1)
        story.delete(item(2), at: 2)
        #expect(story.target(item(1), "buddy") == nil)
        story.insert(item(2), at: 3)
        #expect(story.target(item(1), "buddy") == item(2))
    }

    @Test func `S4: what was put into a deleted folder goes, and what was moved out stays`() {
        var story = Story()
        story.insert(folder(1), folder(2), item(1), item(2), item(3))
        for item in [item(1), item(2)] { story.link(item, "folder", to: folder(1), at: 1) }
        story.delete(folder(1), at: 4)
        for item in [item(1), item(2)] { story.delete(item, through: "folder", at: 4) }
        story.link(item(3), "folder", to: folder(1), at: 3)
        story.link(item(1), "folder", to: folder(2), at: 2)
        #expect(story.seen == [folder(2), item(1)])
        #expect(story.target(item(1), "folder") == folder(2))
    }

    @Test func `S5: whom a living one denies stays until he leaves`() {
        var story = Story()
        story.insert(dept(1), person(1))
        story.delete(dept(1), at: 4)
        #expect(story.seen == [person(1)])
        story.link(person(1), "dept", to: dept(1), at: 3)
        #expect(story.target(person(1), "dept") == dept(1))
        story.link(person(1), "dept", to: nil, at: 5)
        #expect(story.seen == [person(1)])
    }

    @Test func `S6: of a one-to-one taken by several both ends agree`() {
        let (a, b, c, d, e) = (person(1), person(2), person(3), person(4), person(5))
        var story = Story()
        story.insert(a, b, c, d, e)
        story.marry(d, b, at: 4)
        story.marry(a, b, at: 5)
        story.marry(a, c, leaving: b, at: 6)
        #expect([a, b, c, d].map { story.target($0, "spouse") } == [c, nil, a, nil])
        story.marry(a, e, leaving: c, at: 7)
        #expect([a, b, c, d, e].map { story.target($0, "spouse") } == [e, nil, nil, nil, a])
    }

    @Test func `S7: of deletions and returns the latest counts`() {
        var story = Story()
        story.insert(item(1))
        story.delete(item(1), at: 10)
        story.insert(item(1), at: 11)
        #expect(story.seen == [item(1)])
        story.delete(item(1), at: 20)
        #expect(story.seen.isEmpty)
    }

    @Test func `S8: who deletes one record leaves what he has not seen`() {
        var story = Story()
        story.insert(person(1), person(2))
        for person in [person(1), person(2)] { story.set(person, "email", to: "e", at: 1) }
        story.delete(person(1), at: 2)
        #expect(story.object(person(2))?.records == [person(2)])
        #expect(story.seen == [person(2)])
    }

    @Test func `S10: a place counts for its owner only`() {
        var story = Story()
        story.insert(folder(1), folder(2), item(1), item(2), item(3))
        for item in [item(1), item(2), item(3)] { story.link(item, "folder", to: folder(1), at: 1) }
        for (item, place) in [(item(1), 3), (item(2), 2)] as [(RecordID, UInt8)] {
            story.place(item, in: folder(1), at: place, time: 1)
        }
        #expect(story.object(folder(1))?.orders["items"] == [item(2), item(1), item(3)])
        story.link(item(1), "folder", to: folder(2), at: 2)
        story.place(item(1), in: folder(1), at: 1, time: 3)
        #expect(story.object(folder(1))?.orders["items"] == [item(2), item(3)])
        #expect(story.object(folder(2))?.orders["items"] == [item(1)])
        story.link(item(1), "folder", to: folder(1), at: 4)
        story.place(item(2), in: folder(1), at: 1, time: 4)
        #expect(story.object(folder(1))?.orders["items"] == [item(1), item(2), item(3)], "equal: by id")
    }

    @Test func `S11: a pair comes back with its end`() {
        var story = Story()
        story.insert(item(1), tag(1))
        story.tag(item(1), with: tag(1), at: 4)
        #expect(story.object(tag(1))?.members["tagged"] == [item(1)])
        story.delete(item(1), at: 5)
        #expect(story.object(tag(1))?.members["tagged"] == nil)
        story.insert(item(1), at: 6)
        #expect(story.object(item(1))?.members["tags"] == [tag(1)])
        story.tag(item(1), with: tag(1), isOn: false, at: 5)
        #expect(story.object(item(1))?.members["tags"] == nil)
    }

    @Test func `S12: what nobody chose yields to what somebody did`() {
        var story = Story()
        story.insert(person(1), person(2))
        for person in [person(1), person(2)] { story.set(person, "email", to: "mum", at: 1) }
        story.set(person(1), "name", to: "Mum", at: 1)
        story.set(person(2), "name", to: nil, isDefaulted: true, at: 9)
        #expect(story.text(person(2), "name") == "Mum")
        story.set(person(2), "name", to: nil, at: 10)
        #expect(story.object(person(1))?.values["name"] == .null)
    }

    @Test func `S13: a chain of keys joins only those whose seen keys agree`() {
        var story = Story()
        story.insert(person(1), person(2), person(3))
        for (person, email, nick, time) in [
            (person(1), "e1", "u1", 3), (person(2), "e1", "u2", 2), (person(3), "e3", "u2", 1),
        ] as [(RecordID, String, String, Int64)] {
            story.set(person, "email", to: email, at: time)
            story.set(person, "nick", to: nick, at: time)
        }
        #expect(story.object(person(1))?.records == [person(1), person(2)])
        #expect(story.object(person(3))?.records == [person(3)])
        story.set(person(2), "nick", to: "u2", at: 4)
        #expect(story.object(person(3))?.records == [person(1), person(2), person(3)])
    }

    @Test func `S13: a key with a reference agrees once its targets are one`() {
        var story = Story()
        story.insert(dept(1), dept(2), person(1), person(2))
        for (person, dept) in [(person(1), dept(1)), (person(2), dept(2))] {
            story.set(person, "name", to: "Ada", at: 1)
            story.link(person, "dept", to: dept, at: 1)
        }
        #expect(story.graph.objects.count == 4)
        for dept in [dept(1), dept(2)] { story.set(dept, "name", to: "R", at: 1) }
        #expect(story.object(person(2))?.records == [person(1), person(2)])
    }

    @Test func `S13: objects of two entities stay two, and one shows no key`() {
        var story = Story()
        story.insert(person(1), player(1))
        for record in [person(1), player(1)] { story.set(record, "email", to: "e", at: 1) }
        #expect(story.text(person(1), "email") == "e" && story.text(player(1), "email") == nil)
        #expect(story.graph.violations == [Violation(of: player(1), ["email"], .keyTaken)])
    }

    @Test func `S22: an absent cell is seen as the default`() {
        var story = Story()
        story.insert(item(1))
        #expect(story.text(item(1), "name") == "new")
        story.set(item(1), "name", to: nil, at: 1)
        #expect(story.object(item(1))?.values["name"] == .null)
    }

    @Test func `S23: an edit takes a hidden key away, so that it swallows nobody`() {
        let (ca, fifty, new) = (person(3), person(2), person(1))
        var story = Story()
        story.insert(ca, fifty, new)
        story.set(ca, "nick", to: "a", at: 1)
        story.set(fifty, "nick", to: "a", at: 1)
        story.set(ca, "email", to: "b", at: 1)
        story.set(fifty, "email", to: "a", at: 2)
        story.set(new, "email", to: "b", at: 3)
        #expect(story.object(new)?.records.contains(ca) == true)
        story.seal(ca, fifty, at: 3)
        #expect(story.object(new)?.records == [new])
        #expect(story.text(ca, "email") == "a")
    }

    @Test func `S24: a hidden reference keeps what was deleted until its object is sealed`() {
        let (one, other) = (person(2), person(1))
        var story = Story()
        story.insert(dept(1), dept(2), one, other)
        for person in [one, other] { story.set(person, "email", to: "a", at: 1) }
        story.link(one, "dept", to: dept(1), at: 2)
        story.link(other, "dept", to: dept(2), at: 1)
        #expect(story.target(other, "dept") == dept(1))
        story.delete(dept(2), at: 3)
        #expect(story.seen.contains(dept(2)))
        story.seal(one, other, at: 3)
        #expect(!story.seen.contains(dept(2)) && story.target(other, "dept") == dept(1))
    }

    @Test func `S25: of a circle the latest link is not seen`() {
        var story = Story()
        story.insert(folder(1), folder(2))
        story.link(folder(1), "parent", to: folder(2), at: 3)
        story.link(folder(2), "parent", to: folder(1), at: 2)
        #expect(story.target(folder(1), "parent") == nil)
        #expect(story.target(folder(2), "parent") == folder(1))
        story.link(folder(2), "parent", to: folder(1), at: 3)
        #expect(story.target(folder(1), "parent") == folder(2), "equal: that of the greater id is hidden")
        story.delete(folder(1), at: 4)
        story.delete(folder(2), through: "parent", at: 4)
        #expect(story.seen.isEmpty)
    }
}
