import CofferService
import Testing

@Test func `a few large answers go to a caller that does not read, and the others when it has`() {
    var replies = UnreadReplies<Int>()
    var sent = 0
    for number in 0..<260 {
        if replies.takes() { sent += 1 } else { replies.hold(number) }
    }
    #expect(sent == 4 && replies.heldCount == 256)
    let (asks, asksAgain) = (replies.beginAsking(), replies.beginAsking())
    #expect(asks && !asksAgain)
    // A call made while others wait shows nothing.
    replies.noteCall()
    let isTaken = replies.takes()
    #expect(!isTaken)
    let ready = replies.endAsking(hasAnswered: true)
    #expect(ready == [4, 5, 6, 7])
    let asksOnceMore = replies.beginAsking()
    #expect(asksOnceMore)
    let late = replies.endAsking(hasAnswered: false)
    #expect(late.isEmpty && replies.heldCount == 252)
    let left = replies.takeAll()
    #expect(left.count == 252)
}

@Test func `a caller that waits for each answer before the next call is never kept waiting`() {
    var replies = UnreadReplies<Int>()
    for _ in 0..<100 {
        replies.noteCall()
        let isTaken = replies.takes()
        #expect(isTaken)
    }
}
