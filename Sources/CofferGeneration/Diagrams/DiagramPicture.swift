import CofferModel

/// A drawing of a model as SVG: boxes in layers, from left to right by how far they are from the first, and
/// straight lines between them.
struct DiagramPicture {
    private struct Box {
        let name: String
        let isAbstract: Bool
        let lines: [String]
        var x = 0
        var y = 0

        var width: Int { 16 + 7 * max(([name] + lines).map(\.count).max() ?? 0, 8) }
        var height: Int { 30 + 16 * lines.count }
        var center: (x: Int, y: Int) { (x + width / 2, y + height / 2) }
    }

    private static let gap = 28
    private static let layerGap = 120

    private let diagram: ModelDiagram
    private var boxes: [Box]
    private var places: [String: Int] = [:]
    private var size = (width: 0, height: 0)

    init(_ diagram: ModelDiagram) {
        self.diagram = diagram
        boxes = diagram.entities.map {
            Box(name: $0.name, isAbstract: $0.isAbstract, lines: diagram.lines(of: $0))
        }
        for (place, box) in boxes.enumerated() { places[box.name] = place }
        arrange()
    }

    /// The picture.
    var text: String {
        var text =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(size.width)\" height=\"\(size.height)\" "
            + "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
        text += "<defs>\n" + Self.marker("one", path: "M0,0 L10,5 L0,10 z", fill: "black")
        text += Self.marker("many", path: "M10,0 L0,5 L10,10 M0,5 L10,5", fill: "none")
        text += Self.marker("parent", path: "M0,0 L10,5 L0,10 z", fill: "white") + "</defs>\n"
        text += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        for (child, parent) in diagram.parents {
            text += line(from: child, to: parent, label: "", start: nil, end: "parent")
        }
        for link in diagram.links {
            text += line(
                from: link.from, to: link.to, label: link.label,
                start: link.isBackToMany.map { $0 ? "many" : "one" }, end: link.isToMany ? "many" : "one")
        }
        for box in boxes { text += Self.text(of: box) }
        return text + "</svg>\n"
    }

    private static func marker(_ id: String, path: String, fill: String) -> String {
        "<marker id=\"\(id)\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" "
            + "orient=\"auto-start-reverse\"><path d=\"\(path)\" fill=\"\(fill)\" stroke=\"black\"/></marker>\n"
    }

    private static func text(of box: Box) -> String {
        let dashes = box.isAbstract ? " stroke-dasharray=\"4 3\"" : ""
        var text =
            "<rect x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" height=\"\(box.height)\" "
            + "fill=\"#f4f7fb\" stroke=\"black\"\(dashes)/>\n"
        text += "<text x=\"\(box.x + 8)\" y=\"\(box.y + 16)\" font-weight=\"bold\">\(box.name)</text>\n"
        if !box.lines.isEmpty {
            text +=
                "<line x1=\"\(box.x)\" y1=\"\(box.y + 23)\" x2=\"\(box.x + box.width)\" "
                + "y2=\"\(box.y + 23)\" stroke=\"black\"/>\n"
        }
        for (place, line) in box.lines.enumerated() {
            text += "<text x=\"\(box.x + 8)\" y=\"\(box.y + 38 + 16 * place)\">\(line)</text>\n"
        }
        return text
    }
}

extension DiagramPicture {
    /// Puts the boxes that belong together into layers, each as far from the first as there are lines to it.
    private mutating func arrange() {
        var neighbours: [[Int]] = boxes.map { _ in [] }
        let lines = diagram.links.map { ($0.from, $0.to) } + diagram.parents.map { ($0.parent, $0.child) }
        for (one, other) in lines {
            guard let one = places[one], let other = places[other] else { continue }
            neighbours[one].append(other)
            neighbours[other].append(one)
        }
        var seen = boxes.map { _ in false }
        var top = Self.gap
        for first in boxes.indices where !seen[first] {
            seen[first] = true
            var layers = [[first]]
            while let last = layers.last {
                var next: [Int] = []
                for box in last {
                    for other in neighbours[box] where !seen[other] {
                        seen[other] = true
                        next.append(other)
                    }
                }
                if next.isEmpty { break }
                layers.append(next)
            }
            top = place(layers, below: top)
        }
        size.height = top
        size.width = (boxes.map { $0.x + $0.width }.max() ?? 0) + 3 * Self.gap
    }

    /// Says where the next boxes may begin.
    private mutating func place(_ layers: [[Int]], below top: Int) -> Int {
        var (x, bottom) = (Self.gap, top)
        for layer in layers {
            var y = top
            for box in layer {
                (boxes[box].x, boxes[box].y) = (x, y)
                y += boxes[box].height + Self.gap
            }
            x += (layer.map { boxes[$0].width }.max() ?? 0) + Self.layerGap
            bottom = max(bottom, y)
        }
        return bottom
    }

    private func line(
        from: String, to: String, label: String, start: String?, end: String
    ) -> String {
        guard let from = places[from].map({ boxes[$0] }), let to = places[to].map({ boxes[$0] }) else {
            return ""
        }
        let marks =
            (start.map { " marker-start=\"url(#\($0))\"" } ?? "") + " marker-end=\"url(#\(end))\""
        if from.name == to.name {
            let (x, y) = (from.x + from.width, from.y + 10)
            return "<path d=\"M\(x),\(y) c40,-6 40,22 0,16\" fill=\"none\" stroke=\"black\"\(marks)/>\n"
                + "<text x=\"\(x + 32)\" y=\"\(y + 12)\" font-size=\"10\">\(label)</text>\n"
        }
        let (one, other) = (Self.border(of: from, towards: to), Self.border(of: to, towards: from))
        var text =
            "<line x1=\"\(one.x)\" y1=\"\(one.y)\" x2=\"\(other.x)\" y2=\"\(other.y)\" "
            + "stroke=\"black\"\(marks)/>\n"
        if !label.isEmpty {
            text +=
                "<text x=\"\((one.x + other.x) / 2)\" y=\"\((one.y + other.y) / 2 - 4)\" font-size=\"10\" "
                + "text-anchor=\"middle\">\(label)</text>\n"
        }
        return text
    }

    /// Where the line between the centers of two boxes leaves the first.
    private static func border(of box: Box, towards other: Box) -> (x: Int, y: Int) {
        let (x, y) = (Double(other.center.x - box.center.x), Double(other.center.y - box.center.y))
        let across = x == 0 ? Double.infinity : Double(box.width) / 2 / abs(x)
        let along = y == 0 ? Double.infinity : Double(box.height) / 2 / abs(y)
        let part = min(across, along, 1)
        return (box.center.x + Int((x * part).rounded()), box.center.y + Int((y * part).rounded()))
    }
}
