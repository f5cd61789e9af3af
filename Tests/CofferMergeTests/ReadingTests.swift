import CofferMerge
import CofferModel
import Testing

/// Cases in which two readings of the rules differed, each with the reading that holds.
@Suite struct `The graph by the agreed reading` {
    @Test func `judges life over the records of one object together`() {
        var story = Story()
        story.insert(dept(1), person(1), person(2))
        story.seal(person(1), person(2), at: 1)
        story.link(person(1), "dept", to: dept(1), at: 1)
        story.link(person(2), "dept", to: nil, at: 2)
        story.delete(dept(1), at: 3)
        #expect(!story.seen.contains(dept(1)))
    }

    @Test func `counts of the pairs of two objects the greatest`() {
        var story = Story()
        story.insert(item(1), tag(1), tag(2))
        story.tag(item(1), with: tag(1), at: 1)
        story.tag(item(1), with: tag(2), isOn: false, at: 2)
        #expect(story.object(item(1))?.members["tags"] == [tag(1)])
        story.seal(tag(1), tag(2), at: 3)
        #expect(story.object(item(1))?.members["tags"] == nil)
    }

    @Test func `joins through a record that has not come`() {
        var story = Story()
        story.insert(item(1), item(3))
        story.seal(item(1), item(2), at: 1)
        story.seal(item(2), item(3), at: 1)
        #expect(story.object(item(3))?.records == [item(1), item(3)])
    }

    @Test func `lets deny keep what a cascade took`() {
        var story = Story()
        story.insert(folder(1), folder(2), item(1))
        story.link(folder(2), "parent", to: folder(1), at: 1)
        story.delete(folder(1), at: 3)
        story.delete(folder(2), through: "parent", denied: ["items"], at: 3)
        #expect(story.seen == [item(1)])
        story.link(item(1), "folder", to: folder(2), at: 2)
        // By the model an item goes with its folder, yet it keeps this one: in doubt both live.
        #expect(story.seen == [folder(2), item(1)])
        #expect(story.target(folder(2), "parent") == nil)
    }

    @Test func `takes what was moved from one deleted folder into another`() {
        var story = Story()
        story.insert(folder(1), folder(2), item(1))
        story.delete(folder(1), at: 3)
        story.delete(folder(2), at: 3)
        story.delete(item(1), through: "buddy", at: 3)
        story.link(item(1), "buddy", to: item(2), at: 2)
        story.insert(item(2))
        #expect(story.seen == [item(1), item(2)], "who took it lives")
        story.link(item(1), "folder", to: folder(2), at: 2)
        #expect(story.seen == [item(2)], "another did")
    }

    @Test func `pairs nobody with himself whom a key made one`() {
        var story = Story()
        story.insert(person(1), person(2))
        story.marry(person(1), person(2), at: 1)
        #expect(story.target(person(1), "spouse") == person(2))
        for person in [person(1), person(2)] { story.set(person, "email", to: "e", at: 2) }
        #expect(story.graph.objects.count == 1 && story.target(person(1), "spouse") == nil)
    }

    @Test func `cuts circles before it judges life`() {
        var story = Story()
        story.insert(folder(1), folder(2), folder(3))
        story.delete(folder(1), at: 9)
        for folder in [folder(2), folder(3)] { story.delete(folder, through: "parent", at: 9) }
        story.link(folder(2), "parent", to: folder(3), at: 2)
        story.link(folder(3), "parent", to: folder(2), at: 3)
        #expect(story.seen.isEmpty)
    }

    @Test func `takes the late child of a late child`() {
        var story = Story()
        story.insert(folder(1), folder(2), item(1))
        story.delete(folder(1), at: 1)
        story.link(folder(2), "parent", to: folder(1), at: 2)
        story.link(item(1), "folder", to: folder(2), at: 3)
        #expect(story.seen.isEmpty)
    }

    @Test func `lets two that wait for each other live`() {
        var story = Story()
        story.insert(dept(1), dept(2), person(1), person(2))
        story.link(person(1), "dept", to: dept(1), at: 1)
        story.link(person(2), "dept", to: dept(2), at: 1)
        story.delete(dept(1), at: 2)
        story.delete(person(1), through: "dept", at: 2)
        // Dept 1 waits for person 1, and that for dept 1.
        #expect(story.seen == [dept(1), dept(2), person(1), person(2)])
    }

    @Test func `keeps what is buried dead and lets it cascade`() {
        var story = Story()
        story.insert(folder(1), item(1))
        story.bury(folder(1), at: 1)
        story.insert(folder(1), at: 9)
        #expect(story.seen == [item(1)])
        story.link(item(1), "folder", to: folder(1), at: 9)
        #expect(story.seen.isEmpty)
    }

    @Test func `brings back by a later edit of an attribute where the entity asks for it`() {
        var story = Story()
        story.insert(tag(1), item(1))
        for record in [tag(1), item(1)] {
            story.delete(record, at: 3)
            story.set(record, "name", to: "b", at: 2)
        }
        #expect(story.seen.isEmpty)
        for record in [tag(1), item(1)] { story.set(record, "name", to: "c", at: 4) }
        #expect(story.seen == [tag(1)])
    }

    @Test func `shows a link to a record that has not come as null, until it comes`() {
        var story = Story()
        story.insert(item(1))
        story.link(item(1), "buddy", to: item(2), at: 1)
        #expect(story.graph.objects[item(1)]?.references["buddy"] == nil)
        story.insert(item(2))
        #expect(story.target(item(1), "buddy") == item(2))
    }
}
