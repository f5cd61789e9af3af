internal import CofferMerge

extension Schedule {
    /// What went wrong; `nil` if nothing did.
    package func divergence(
        in models: SimulatedModels, mutant: Mutant? = nil, tell: Simulation.Telling? = nil
    ) -> Divergence? {
        do throws(Divergence) {
            // Stores have all rules: a mutant, which leaves one out, does not run over them.
            if isOverStores && mutant == nil {
                var simulation = try StoreSimulation(self, models: models, tell: tell)
                try simulation.run()
            } else if isOverContainer {
                var simulation = ContainerSimulation(self, models: models, mutant: mutant, tell: tell)
                try simulation.run()
            } else {
                var simulation = Simulation(self, models: models, mutant: mutant, tell: tell)
                try simulation.run()
            }
            return nil
        } catch { return error }
    }

    /// A part of the schedule that still goes wrong, and of which no step can be left out.
    package func shrunk(in models: SimulatedModels, mutant: Mutant? = nil) -> Schedule {
        var schedule = self
        schedule.events = events.shrunk { events in
            var shorter = self
            shorter.events = events
            return shorter.divergence(in: models, mutant: mutant) != nil
        }
        return schedule
    }
}

extension Array {
    /// What is left when no element can be left out any more without `isWrong` being false.
    func shrunk(while isWrong: ([Element]) -> Bool) -> [Element] {
        var elements = self
        var size = Swift.max(1, count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < elements.count {
                var shorter = elements
                shorter.removeSubrange(start..<Swift.min(start + size, elements.count))
                if isWrong(shorter) {
                    elements = shorter
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1 && !hasShrunk { return elements }
            if !hasShrunk || size > 1 { size = Swift.max(1, size / 2) }
        }
    }
}
