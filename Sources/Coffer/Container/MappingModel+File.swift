internal import CofferFormats
public import CofferModel
import CofferWire

extension MappingModel {
    /// Reads a mapping model that Xcode has written, an `.xcmappingmodel`, or the `.cdm` that its compiler
    /// makes of one.
    ///
    /// - Throws: `CofferError.refused` with the reason `mapping_file` if it cannot be read.
    public init(file path: String) throws(CofferError) {
        do throws(FormatError) { self = try MappingModelFile.read(path: path) } catch {
            throw .refused(
                code: StatusCode.invalidArgument.name, reason: "mapping_file", text: "\(error)", place: path)
        }
    }
}
