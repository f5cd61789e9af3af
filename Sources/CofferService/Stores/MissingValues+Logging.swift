import CofferStores
import Logging

extension MissingValues {
    /// Logs of which objects values are told as null, since their files are missing.
    convenience init(logger: Logger) {
        self.init { value in
            var metadata: Logger.Metadata = ["store.path": "\(value.store)", "file": "\(value.file)"]
            if let entity = value.entity { metadata["entity"] = "\(entity)" }
            if let key = value.primaryKey { metadata["object"] = "p\(key)" }
            if let attribute = value.attribute { metadata["attribute"] = "\(attribute)" }
            logger.warning("The file of a value is missing; it is told as null", metadata: metadata)
        }
    }
}
