import Coffer
import Testing

struct FetchRequestTests {
    @Test func `a request that is told more of is another one`() {
        let request = FetchRequest<ManagedObject>(entityName: "Note")
        let other = request.labeled("the list").inStores("Main").batchSize(20)
        #expect(other.label == "the list" && other.affectedStores == ["Main"] && other.fetchBatchSize == 20)
        #expect(request.label == nil && request.affectedStores.isEmpty)
    }
}
