import Coffer
import CofferModel
import Testing

/// Pages that are fetched while the context changes.
@MainActor
@Suite struct `Windows of late answers` {
    private func filled() throws -> (world: World, reader: ManagedObjectContext, notes: [Note]) {
        let world = try World()
        let reader = world.context("reader")
        let notes = (0..<40).map { number in
            let note = reader.insert(Note.self)
            note.title = "\(number + 10)"
            return note
        }
        try reader.save()
        return (world, reader, notes)
    }

    private let page = Note.all.sorted(by: \.title).offset(10).limit(10)
    private let expected = (20..<30).map { "\($0)" }

    /// A page, and what is done while it is on its way.
    private func page(
        of world: World, _ reader: ManagedObjectContext, tellsProgress: Bool, meanwhile: () throws -> Void
    ) async throws -> [String] {
        try await world.fetching(
            page, in: reader, until: 0, progress: tellsProgress ? { _ in } : nil, meanwhile: meanwhile
        ).map(\.title)
    }

    @Test(arguments: [false, true])
    func `a change that is made meanwhile does not empty the page`(_ tellsProgress: Bool) async throws {
        let (world, reader, notes) = try filled()
        let titles = try await page(of: world, reader, tellsProgress: tellsProgress) {
            notes[3].body = "changed"
        }
        #expect(titles == expected)
    }

    @Test(arguments: [false, true])
    func `a change that is saved meanwhile does not lengthen the page`(_ tellsProgress: Bool) async throws {
        let (world, reader, notes) = try filled()
        notes[3].body = "changed"
        let titles = try await page(of: world, reader, tellsProgress: tellsProgress) { try reader.save() }
        #expect(titles == expected)
    }

    @Test(arguments: [false, true])
    func `objects that are deleted meanwhile make room for the next`(_ tellsProgress: Bool) async throws {
        let (world, reader, notes) = try filled()
        notes[39].body = "changed"
        let titles = try await page(of: world, reader, tellsProgress: tellsProgress) {
            for note in notes[12..<15] { reader.delete(note) }
        }
        #expect(titles == (20..<33).map { "\($0)" }.filter { !["22", "23", "24"].contains($0) })
    }
}
