import CofferModel

extension ClassPlanning {
    /// Checks that code that may use a class may also use the classes that it names: its superclass, and
    /// those at the end of its relationships.
    ///
    /// Which code may use classes that the application writes is not known here.
    func checkAccess() throws(GenerationError) {
        let known = GenerationOptions.Access.allCases
        let written = classes.filter { $0.kind == .whole }
        let levels = Dictionary(
            uniqueKeysWithValues: written.map { ($0.name, known.firstIndex(of: $0.access) ?? 0) })
        for planned in classes {
            let own = known.firstIndex(of: planned.access) ?? 0
            for other in namedClasses(of: planned) {
                guard let level = levels[other], level < own else { continue }
                throw .hiddenClass(
                    other, access: known[level].rawValue, entity: planned.entity.name,
                    entityAccess: planned.access.rawValue)
            }
        }
    }

    /// The classes that the declaration of a class names, and its properties do.
    private func namedClasses(of planned: ClassPlan.Class) -> [String] {
        let ends = planned.properties.compactMap { property -> String? in
            switch property.shape {
            case .attribute: nil
            case .toOne(let name), .toMany(let name): name
            }
        }
        let all =
            [planned.superclass].compactMap(\.self) + ends + planned.fetchedProperties.compactMap(\.target)
        // Some are written as in declarations.
        return all.map { $0.filter { $0 != "`" } }
    }
}
