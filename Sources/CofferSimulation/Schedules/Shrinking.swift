package import CofferMerge

extension Schedule {
    /// What went wrong, where anything did.
    package func divergence(
        model: MergeModel, mutant: Mutant? = nil, tell: Simulation.Telling? = nil
    ) -> Divergence? {
        do throws(Divergence) {
            // Stores have all rules: who leaves one out is not among them.
            if isOverStores && mutant == nil {
                var simulation = try StoreSimulation(self, model: model, tell: tell)
                try simulation.run()
            } else if isOverContainer {
                var simulation = ContainerSimulation(self, model: model, mutant: mutant, tell: tell)
                try simulation.run()
            } else {
                var simulation = Simulation(self, model: model, mutant: mutant, tell: tell)
                try simulation.run()
            }
            return nil
        } catch { return error }
    }

    /// A part of the schedule that still goes wrong, and of which no step can be left out.
    package func shrunk(model: MergeModel, mutant: Mutant? = nil) -> Schedule {
        var schedule = self
        var size = max(1, events.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < schedule.events.count {
                var shorter = schedule
                shorter.events.removeSubrange(start..<min(start + size, schedule.events.count))
                if shorter.divergence(model: model, mutant: mutant) != nil {
                    schedule = shorter
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1 && !hasShrunk { return schedule }
            if !hasShrunk || size > 1 { size = max(1, size / 2) }
        }
    }
}
