package import CofferMerge

extension HandOverSchedule {
    /// The model of what is saved.
    package static func model() throws -> MergeModel { try StoreContent.model() }

    /// What went wrong; `nil` if nothing did.
    package func divergence(
        model: MergeModel, mutant: HandOverMutant? = nil, tell: Simulation.Telling? = nil
    ) -> Divergence? {
        do throws(Divergence) {
            var simulation = HandOverSimulation(self, model: model, mutant: mutant, tell: tell)
            try simulation.run()
            return nil
        } catch { return error }
    }

    /// A part of the schedule that still goes wrong, and of which no step can be left out.
    package func shrunk(model: MergeModel, mutant: HandOverMutant? = nil) -> HandOverSchedule {
        var schedule = self
        schedule.events = events.shrunk { events in
            var shorter = self
            shorter.events = events
            return shorter.divergence(model: model, mutant: mutant) != nil
        }
        return schedule
    }
}
