import Coffer
import CofferModel
import ContextSupport
import TestSupport

/// Saves a few random edits; the names of new tags that were saved.
@discardableResult
func editAtRandom(
    _ device: Device, _ random: inout SeededGenerator, deletesTags: Bool = true
) throws -> [String] {
    var made: [String] = []
    let context = device.context()
    var people = try context.all("Person")
    var teams = try context.all("Team")
    var tags = try context.all("Tag")
    for _ in 0..<Int.random(in: 1...3, using: &random) {
        let name = AttributeValue.string("\(Int.random(in: 0..<1_000_000, using: &random))")
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: people.append(try context.make("Person", ["name": name]))
        case 2:
            let code = "\(Int.random(in: 0..<5, using: &random))"
            teams.append(try context.make("Team", ["name": name, "code": .string(code)]))
        case 3:
            tags.append(try context.make("Tag", ["name": name]))
            made.append(name.text)
        case 4:
            try people.randomElement(using: &random)?
                .setValue(.integer(Int64.random(in: 0..<100, using: &random)), forKey: "age")
        case 5: try people.randomElement(using: &random)?.setValue(name, forKey: "mail")
        case 6:
            if let team = teams.randomElement(using: &random) {
                try people.randomElement(using: &random)?.setObjects([team], forKey: "team")
            }
        case 7:
            if let person = people.randomElement(using: &random) {
                let partner = people.randomElement(using: &random).map { [$0] } ?? []
                try person.setObjects(partner.filter { $0 !== person }, forKey: "partner")
            }
        case 8:
            let some = tags.filter { _ in Bool.random(using: &random) }
            try people.randomElement(using: &random)?.setObjects(some, forKey: "tags")
        case 9:
            if let team = teams.randomElement(using: &random) {
                let members = team.objects(forKey: "people")
                try team.setObjects(members.shuffled(using: &random), forKey: "people")
            }
        case 10:
            if let team = teams.randomElement(using: &random) {
                let code = "\(Int.random(in: 0..<5, using: &random))"
                try team.setValue(Bool.random(using: &random) ? .null : .string(code), forKey: "code")
            }
        default:
            let all = people + teams + (deletesTags ? tags : [])
            if let object = all.randomElement(using: &random) {
                context.delete(object)
                people.removeAll { $0.isDeleted || $0 === object }
                teams.removeAll { $0 === object }
                tags.removeAll { $0 === object }
            }
        }
    }
    // Two teams of one code are refused.
    do throws(CofferError) {
        try context.save()
    } catch {
        guard case .constraints = error else { throw error }
        return []
    }
    return made
}
