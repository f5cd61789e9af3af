package import CofferMerge
internal import CofferModel

/// The graph of a state by definition: slow, without increments, to compare others with.
package struct MergeReference {
    let state: State
    let model: MergeModel

    /// The definition applied to one state.
    package init(_ state: State, model: MergeModel) {
        self.state = state
        self.model = model
    }

    /// What applications see.
    package func graph() -> SeenGraph {
        let components = Components(of: state, in: model)
        let dead = Living(components, state: state, model: model).dead()
        let living = components.all.filter { !$0.records.isSubset(of: dead) }
        var uniqueness = Uniqueness(living, state: state, model: model)
        uniqueness.merge()
        var graph = SeenGraph()
        graph.dead = dead
        let taken = uniqueness.taken()
        for (object, properties, isHidden) in taken {
            graph.violations.insert(Violation(of: object, properties, isHidden ? .hidden : .keyTaken))
            if isHidden { uniqueness.objects[object] = nil }
        }
        let objects = uniqueness.objects
        let references = References(objects, state: state, model: model)
        for (id, object) in objects {
            graph.objects[id] = references.seen(object)
            for property in references.missing(object) {
                graph.violations.insert(Violation(of: id, [property], .missing))
            }
        }
        for (object, properties, isHidden) in taken where !isHidden {
            for property in properties {
                graph.objects[object]?.references[property] = nil
                if graph.objects[object]?.values[property] != nil {
                    graph.objects[object]?.values[property] = .null
                }
            }
        }
        Members(state: state, model: model).add(to: &graph)
        return graph
    }
}
