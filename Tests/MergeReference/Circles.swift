internal import CofferMerge

/// A link from one object to another, of a relationship that may lead round in no circle.
struct Link {
    let target: Int
    let stamp: Stamp
    /// Whose it is.
    let id: RecordID
}

/// Of each circle the place of its latest link; of equal ones that of the greater id.
func latestOfCircles(_ links: [Link?]) -> [Int] {
    var found: [Int] = []
    for start in links.indices {
        // Back where it began within as many steps as there are links: it is in a circle.
        var circle = [start]
        while let target = links[circle[circle.count - 1]]?.target, target != start,
            circle.count < links.count
        {
            circle.append(target)
        }
        guard links[circle[circle.count - 1]]?.target == start else { continue }
        let latest = circle.max { left, right in
            guard let left = links[left], let right = links[right] else { return false }
            return (left.stamp, left.id) < (right.stamp, right.id)
        }
        if latest == start { found.append(start) }
    }
    return found
}
