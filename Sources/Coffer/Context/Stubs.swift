extension ManagedObjectContext { public func mergePendingChanges() {} }
