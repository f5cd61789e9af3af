public import Observation

/// Objects of a context whose `isObservable` is set tell Swift's Observation of their properties.
///
/// `withObservationTracking` hears of each change of what it reads: by the application, by an undo, or by
/// another process whose save is merged.
extension ManagedObject: Observable {}

extension ManagedObjectContext {
    /// Whether objects made from now on can be observed; view contexts set it.
    ///
    /// If it is `false`, observation costs reads nothing; if it is `true`, an object that is read keeps a
    /// registrar of its observers.
    public var isObservable: Bool {
        get { registry.isObservable }
        set { registry.isObservable = newValue }
    }
}

extension ManagedObject {
    /// Tells observers that the property of a key is read.
    @usableFromInline
    @inline(never)
    final func trackRead(_ number: Int) {
        registry.registrar(of: self).access(self, keyPath: registry.keyPath(number))
    }

    /// Tells observers that property `slot` is read.
    @inline(__always)
    final func noteRead(_ slot: Int) {
        if status.contains(.observable) { trackRead(layout.keyNumbers[slot]) }
    }

    /// Changes properties, and tells their observers before and after.
    @inline(__always)
    final func withMutation<Result>(of slots: @autoclosure () -> [Int], _ body: () -> Result) -> Result {
        guard status.contains(.observed) else { return body() }
        return tellOfMutation(slots(), body)
    }

    private final func tellOfMutation<Result>(_ slots: [Int], _ body: () -> Result) -> Result {
        let registrar = registry.registrar(of: self)
        let paths = slots.map { registry.keyPath(layout.keyNumbers[$0]) }
        for path in paths { registrar.willSet(self, keyPath: path) }
        defer { for path in paths { registrar.didSet(self, keyPath: path) } }
        return body()
    }

    /// Stands for the property of a key in key paths.
    final subscript(observed number: Int) -> Int { number }
}

extension Registry {
    /// The registrar of an object's observers, made if it has none yet.
    func registrar(of object: ManagedObject) -> ObservationRegistrar {
        if let registrar = registrars[ObjectIdentifier(object)] { return registrar }
        let registrar = ObservationRegistrar()
        registrars[ObjectIdentifier(object)] = registrar
        object.status.insert(.observed)
        return registrar
    }

    /// Forgets the observers of an object that is deallocated.
    func forgetRegistrar(of object: ManagedObject) { registrars[ObjectIdentifier(object)] = nil }

    /// The key path that stands for the property of a key.
    func keyPath(_ number: Int) -> KeyPath<ManagedObject, Int> {
        if let path = keyPaths[number] { return path }
        let path: KeyPath<ManagedObject, Int> = \ManagedObject[observed: number]
        keyPaths[number] = path
        return path
    }
}
