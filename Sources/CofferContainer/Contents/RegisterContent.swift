package import CofferMerge
internal import CofferWire

/// Registers as the content of a part of baselines, and inside of logs.
package enum RegisterContent {
    /// The bytes of registers, no two of which are of one key: the same for the same registers.
    ///
    /// - Throws: `ObjectFault.tooLarge` if they would be larger than readers accept.
    package static func bytes(of registers: [Register]) throws(ObjectFault) -> [UInt8] {
        try packing { () throws(WireError) in try RegisterColumnWriter.message(of: registers).packed() }
    }

    /// The registers that `bytes` are.
    ///
    /// - Throws: `ObjectFault.malformed`, saying what is wrong; then none is to be taken.
    package static func registers(
        in bytes: [UInt8], from source: ContentSource
    ) throws(ObjectFault) -> [Register] {
        try RegisterColumnReader.registers(
            of: reading { () throws(WireError) in try ContainerRegistersMessage(packed: bytes) },
            from: source)
    }
}

extension RegisterContent {
    /// Reads a message, and tells what is wrong with it as an object's fault.
    static func reading<Result>(_ body: () throws(WireError) -> Result) throws(ObjectFault) -> Result {
        do throws(WireError) {
            return try body()
        } catch {
            switch error {
            case .malformed(let reason): throw .malformed(reason: reason)
            case .tooLarge(let what, let byteCount, let limit):
                throw .malformed(reason: "\(what): \(byteCount) bytes, and \(limit) are the most")
            }
        }
    }

    /// Packs a message.
    static func packing<Result>(_ body: () throws(WireError) -> Result) throws(ObjectFault) -> Result {
        do throws(WireError) {
            return try body()
        } catch {
            switch error {
            case .malformed(let reason): throw .malformed(reason: reason)
            case .tooLarge(_, let byteCount, let limit):
                throw .tooLarge(byteCount: UInt64(byteCount), limit: limit)
            }
        }
    }
}
