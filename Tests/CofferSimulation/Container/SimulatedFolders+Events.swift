internal import CofferContainer

/// What happens while no peer looks.
extension SimulatedFolders {
    /// Lets time pass: mostly moments, now and then days, and seldom so many that what is dead is forgotten.
    ///
    /// - Returns: What to tell of it.
    func passSome(_ draw: inout Draw) -> String {
        let microseconds =
            switch draw.below(20) {
            case 0: 100 * Self.day
            case 1..<4: Int64.random(in: 1...9, using: &draw) * Self.day
            default: Int64.random(in: 1...100, using: &draw) * Self.second
            }
        pass(microseconds)
        return "\(microseconds / Self.second) seconds pass"
    }

    /// Makes something happen to a machine or the carrier.
    ///
    /// - Returns: What to tell of it, and whether files are lost for good.
    func befall(_ folder: Int, of peer: String, _ draw: inout Draw) -> (story: String, isLoss: Bool) {
        switch draw.below(6) {
        case 0:
            refuse(folder, .full(place: "simulation"))
            return ("the disk of \(peer) is full", false)
        case 1:
            refuse(folder, .readOnly(place: "simulation"))
            return ("\(peer) may only read", false)
        case 2:
            refuse(folder, nil)
            return ("\(peer) may write", false)
        case 3:
            forget()
            return ("the carrier loses some files for good", true)
        default:
            let hiding = draw.pick(Hiding.allCases) ?? .away
            hide(folder, hiding, for: Int64.random(in: 1...200, using: &draw) * Self.second)
            return ("the folder of \(peer) is \(hiding) for a while", false)
        }
    }
}
