import CofferModel
import CofferWire
import Testing

private func fault<Message: WireMessage>(_ message: Message) -> String {
    do {
        _ = try Message(packed: message.packed())
        return "none"
    } catch {
        return "\(error)"
    }
}

@Test func `columns that contradict the number of rows are refused by name`() {
    func batch(_ values: ColumnValues, nulls: [UInt8] = []) -> String {
        fault(RowBatch(rowCount: 9, columns: [Column(property: 4, nulls: nulls, values: values)]))
    }
    #expect(batch(.integers(Array(0..<9))) == "none")
    #expect(batch(.integers([1])).contains("coffer.v1.Column.integers: 1 of property 4, 9 are needed"))
    #expect(batch(.doubles([1])).contains("coffer.v1.Column.doubles"))
    #expect(batch(.floats([1])).contains("coffer.v1.Column.floats"))
    #expect(batch(.bits([1])).contains("coffer.v1.Column.data"))
    #expect(batch(.uuids([1])).contains("coffer.v1.Column.data"))
    #expect(batch(.decimals([1])).contains("coffer.v1.Column.data"))
    #expect(batch(.bits([1, 1]), nulls: [1]).contains("coffer.v1.Column.nulls"))
    #expect(
        batch(.references(keys: Array(0..<9), entities: [1])).contains("coffer.v1.Column.entities"))
    let ends: [UInt32] = [0, 0, 0, 0, 0, 0, 0, 0, 3]
    #expect(batch(.bytes(ByteRuns(data: [1, 2, 3], ends: ends))) == "none")
    #expect(batch(.bytes(ByteRuns(data: [1, 2], ends: ends))).contains("beyond 2 bytes"))
    let descending: [UInt32] = [2, 1, 2, 2, 2, 2, 2, 2, 2]
    #expect(batch(.bytes(ByteRuns(data: [1, 2], ends: descending))).contains("do not ascend"))
    #expect(fault(RowBatch(rowCount: 2, versions: [1])).contains("coffer.v1.RowBatch.versions"))
    #expect(fault(RowBatch(rowCount: 2, primaryKeys: [1])).contains("coffer.v1.RowBatch.primary_keys"))
    #expect(fault(RowBatch(rowCount: 10_000_000)).contains("coffer.v1.RowBatch.row_count"))
}

@Test func `groups that contradict themselves are refused by name`() {
    var dice = Dice(seed: 1)
    var save = dice.save()
    save.deletes = [DeleteGroup(entity: 1, primaryKeys: [1, 2], versions: [1])]
    #expect(fault(save).contains("coffer.v1.DeleteGroup.versions"))
    save.deletes = [DeleteGroup(entity: 1, primaryKeys: [1], versions: [1], detachedRows: [0])]
    #expect(fault(save).contains("coffer.v1.DeleteGroup.detached_properties"))
    save.deletes = []
    save.setChanges = [SetChange(entity: 1, property: 1, owners: [1], targets: [])]
    #expect(fault(save).contains("coffer.v1.SetChange.targets"))
    let reply = RelationshipReplyMessage(number: 1, ends: [1, 3], primaryKeys: [1, 2], entities: [1, 1])
    #expect(fault(reply).contains("coffer.v1.RelationshipReply.ends"))
}

@Test func `text that is not UTF-8, unknown numbers and wrong lengths are refused by name`() {
    func fault<Message: WireMessage>(_ bytes: [UInt8], as type: Message.Type) -> String {
        do {
            _ = try Message(packed: bytes)
            return "none"
        } catch {
            return "\(error)"
        }
    }
    let client: [UInt8] = [0x1A, 16] + [UInt8](repeating: 1, count: 16)
    #expect(fault(client, as: HelloRequestMessage.self) == "none")
    #expect(
        fault(client + [0x12, 1, 0xFF], as: HelloRequestMessage.self)
            .contains("coffer.v1.HelloRequest.application: not UTF-8"))
    #expect(
        fault([0x1A, 1, 1], as: HelloRequestMessage.self)
            .contains("coffer.v1.HelloRequest.client: 1 bytes are not a UUID"))
    #expect(fault([0x08, 99], as: PushMessage.self).contains("coffer.v1.Push.kind: 99 is unknown"))
    #expect(fault([0x08, 99], as: ErrorDetailMessage.self).contains("coffer.v1.ErrorDetail.code"))
    #expect(fault([], as: SaveReplyMessage.self).contains("without an outcome"))
    #expect(fault([], as: SaveRequestMessage.self).contains("coffer.v1.SaveRequest.request: absent"))
    #expect(fault([0x0A, 9, 1], as: PushMessage.self).contains("coffer.v1.Push: not this message"))
}
