import ManagedObjectModel

/// A model as an SVG drawing: a box for each entity, arrows for relationships and inheritance.
///
/// Each group of connected entities is laid out separately; the groups are arranged in rows, the
/// largest first.
struct ModelDrawing {
  private typealias Point = LayeredLayout.Point
  private typealias Size = LayeredLayout.Size

  private struct Box {
    let entity: NSEntityDescription
    let rows: [EntityBox.Row]
    let size: Size
    var origin = Point(x: 0, y: 0)

    var right: Double { origin.x + size.width }

    /// The vertical center of a property's row, or of the title if there is no such property.
    func height(of property: String?) -> Double {
      let row = rows.firstIndex { $0.name == property }.map { Double($0) + 1 } ?? 0
      return origin.y + (row + 0.5) * ModelDrawing.rowHeight
    }
  }

  private static let rowHeight = 18.0
  private static let letterWidth = 6.6
  private static let margin = 24.0
  private static let groupGap = 40.0
  private static let pageWidth = 1600.0

  private var boxes: [Box]
  private let edges: [DiagramEdges.Edge]
  private let name: String
  private var bends: [DiagramEdges.Edge: [Point]] = [:]
  private var size = Size(width: 0, height: 0)

  init(_ model: NSManagedObjectModel, name: String) {
    self.name = name
    edges = DiagramEdges(model).edges
    boxes = model.sortedEntities.map { entity in
      let rows = EntityBox.rows(of: entity)
      let letters =
        rows.map { $0.name.count + $0.type.count + 3 } + [EntityBox.title(of: entity).count + 2]
      let width = max(120, Double(letters.max() ?? 0) * Self.letterWidth + 16)
      return Box(
        entity: entity, rows: rows,
        size: Size(width: width, height: Double(rows.count + 1) * Self.rowHeight))
    }
    placeGroups()
  }

  var svg: String {
    let (width, height) = (
      number(size.width + 2 * Self.margin), number(size.height + 2 * Self.margin)
    )
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\">",
      "<title>\(MarkupText.escaped(name))</title>", Self.style,
      "<rect class=\"page\" width=\"100%\" height=\"100%\"/>",
    ]
    lines += edges.compactMap(draw)
    lines += boxes.map(draw)
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private static let style = """
    <style>
    .page { fill: white } .box { fill: white; stroke: #5b7083 } .head { fill: #dce6f2; stroke: #5b7083 }
    .line { stroke: #d9e0e6 } text { font: 11px Menlo, Consolas, monospace; fill: #1f2d3a } .title { font-weight: bold }
    .type { fill: #64788a } .edge { fill: none; stroke: #7b8fa1; stroke-width: 1.3 } .parent { stroke-dasharray: 5 3 }
    .mark { fill: none; stroke: #7b8fa1; stroke-width: 1.3 } .triangle { fill: white; stroke: #7b8fa1; stroke-width: 1.3 }
    </style>
    """
}

// MARK: - Places

extension ModelDrawing {
  private mutating func placeGroups() {
    let indexes = Dictionary(
      boxes.enumerated().map { ($0.element.entity.name ?? "", $0.offset) },
      uniquingKeysWith: { first, _ in first })
    var origin = Point(x: Self.margin, y: Self.margin)
    var rowHeight = 0.0
    for group in groups(indexes) {
      let layout = place(group, indexes)
      if origin.x > Self.margin, origin.x + layout.size.width > Self.pageWidth {
        origin = Point(x: Self.margin, y: origin.y + rowHeight + Self.groupGap)
        rowHeight = 0
      }
      move(group, layout, to: origin, indexes)
      size.width = max(size.width, origin.x - Self.margin + layout.size.width)
      size.height = max(size.height, origin.y - Self.margin + layout.size.height)
      rowHeight = max(rowHeight, layout.size.height)
      origin.x += layout.size.width + Self.groupGap
    }
  }

  /// The connected groups of boxes, as lists of indexes: the largest group first, then by the first
  /// name.
  private func groups(_ indexes: [String: Int]) -> [[Int]] {
    var group = Array(boxes.indices)
    func root(_ index: Int) -> Int {
      var index = index
      while group[index] != index { index = group[index] }
      return index
    }
    for edge in edges {
      guard let from = indexes[edge.from], let to = indexes[edge.to] else { continue }
      let (first, second) = (root(from), root(to))
      group[max(first, second)] = min(first, second)
    }
    let members = Dictionary(grouping: boxes.indices, by: root)
    return members.values.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
  }

  private func layoutEdges(of group: [Int], _ indexes: [String: Int]) -> [DiagramEdges.Edge] {
    edges.filter { edge in
      edge.from != edge.to && indexes[edge.from].map(group.contains) ?? false
    }
  }

  private func place(_ group: [Int], _ indexes: [String: Int]) -> LayeredLayout {
    let position = Dictionary(
      uniqueKeysWithValues: group.enumerated().map { ($0.element, $0.offset) })
    let pairs = layoutEdges(of: group, indexes).map { edge -> (from: Int, to: Int) in
      let from = indexes[edge.from].flatMap { position[$0] } ?? 0
      let to = indexes[edge.to].flatMap { position[$0] } ?? 0
      // A parent precedes its children, and the to-one side of a relationship the to-many side.
      let isTurned = edge.isInheritance || (edge.isBackToMany && !edge.isToMany)
      return isTurned ? (to, from) : (from, to)
    }
    return LayeredLayout(boxes: group.map { boxes[$0].size }, edges: pairs)
  }

  private mutating func move(
    _ group: [Int], _ layout: LayeredLayout, to origin: Point, _ indexes: [String: Int]
  ) {
    for (box, place) in zip(group, layout.origins) {
      boxes[box].origin = Point(x: origin.x + place.x, y: origin.y + place.y)
    }
    for (edge, points) in zip(layoutEdges(of: group, indexes), layout.bends) {
      let moved = points.map { Point(x: origin.x + $0.x, y: origin.y + $0.y) }
      let isTurned = edge.isInheritance || (edge.isBackToMany && !edge.isToMany)
      bends[edge] = isTurned ? moved.reversed() : moved
    }
  }
}

// MARK: - Shapes

extension ModelDrawing {
  private func draw(_ box: Box) -> String {
    let (x, y, height) = (box.origin.x, box.origin.y, Self.rowHeight)
    var parts = [
      rectangle("box", x, y, box.size.width, box.size.height),
      rectangle("head", x, y, box.size.width, height),
      text(EntityBox.title(of: box.entity), "title", x + 8, y + 13),
    ]
    for (index, row) in box.rows.enumerated() {
      let top = y + Double(index + 1) * height
      if index > 0 {
        parts.append(
          "<line class=\"line\" x1=\"\(number(x + 1))\" y1=\"\(number(top))\" x2=\"\(number(box.right - 1))\" y2=\"\(number(top))\"/>"
        )
      }
      parts.append(text(row.name, "name", x + 8, top + 13))
      parts.append(text(row.type, "type", box.right - 8, top + 13, anchor: "end"))
    }
    return "<g>\(parts.joined())</g>"
  }

  private func draw(_ edge: DiagramEdges.Edge) -> String? {
    guard let from = boxes.first(where: { $0.entity.name == edge.from }),
      let to = boxes.first(where: { $0.entity.name == edge.to })
    else { return nil }
    if edge.from == edge.to { return drawLoop(edge, at: from) }
    // An arrow leaves a box on the side that faces the other box.
    let points = bends[edge] ?? []
    let next = points.first?.x ?? to.origin.x
    let previous = points.last?.x ?? from.origin.x
    let startsRight = next >= from.right || (next > from.origin.x && points.isEmpty)
    let endsLeft = previous < to.origin.x
    let start = Point(x: startsRight ? from.right : from.origin.x, y: from.height(of: edge.name))
    let end = Point(x: endsLeft ? to.origin.x : to.right, y: to.height(of: edge.backName))
    let path = curve([start] + points + [end], leavesRight: startsRight, arrivesLeft: endsLeft)
    let marks =
      mark(edge, at: end, pointing: endsLeft ? 1 : -1)
      + backMark(edge, at: start, pointing: startsRight ? -1 : 1)
    return "<path class=\"edge\(edge.isInheritance ? " parent" : "")\" d=\"\(path)\"/>\(marks)"
  }

  private func drawLoop(_ edge: DiagramEdges.Edge, at box: Box) -> String {
    let start = Point(x: box.right, y: box.height(of: edge.name))
    var end = Point(x: box.right, y: box.height(of: edge.backName))
    if edge.backName == nil { end.y = start.y + 10 }
    let reach = box.right + 36
    let path =
      "M \(pair(start)) C \(number(reach)) \(number(start.y)) \(number(reach)) \(number(end.y)) \(pair(end))"
    return "<path class=\"edge\" d=\"\(path)\"/>" + mark(edge, at: end, pointing: -1)
      + backMark(edge, at: start, pointing: -1)
  }

  /// A smooth curve through points, horizontal at each of them.
  private func curve(_ points: [Point], leavesRight: Bool, arrivesLeft: Bool) -> String {
    var path = "M \(pair(points[0]))"
    for (index, (from, to)) in zip(points, points.dropFirst()).enumerated() {
      let reach = max(30, abs(to.x - from.x) / 2)
      let leaves = index == 0 ? (leavesRight ? 1.0 : -1.0) : (to.x >= from.x ? 1.0 : -1.0)
      let arrives =
        index == points.count - 2 ? (arrivesLeft ? -1.0 : 1.0) : (to.x >= from.x ? -1.0 : 1.0)
      path += " C \(number(from.x + leaves * reach)) \(number(from.y))"
      path += " \(number(to.x + arrives * reach)) \(number(to.y)) \(pair(to))"
    }
    return path
  }

  /// The arrowhead: a triangle for a parent, a crow's foot for to-many, an angle for to-one.
  private func mark(_ edge: DiagramEdges.Edge, at tip: Point, pointing direction: Double) -> String
  {
    if edge.isInheritance {
      return shape("triangle", tip, direction, [(-10, -5), (0, 0), (-10, 5)], isClosed: true)
    }
    return mark(isToMany: edge.isToMany, tip, direction)
  }

  private func backMark(_ edge: DiagramEdges.Edge, at tip: Point, pointing direction: Double)
    -> String
  {
    edge.backName == nil ? "" : mark(isToMany: edge.isBackToMany, tip, direction)
  }

  private func mark(isToMany: Bool, _ tip: Point, _ direction: Double) -> String {
    isToMany
      ? shape("mark", tip, direction, [(0, -5), (-9, 0), (0, 5)])
      : shape("mark", tip, direction, [(-7, -4), (0, 0), (-7, 4)])
  }

  private func shape(
    _ name: String, _ tip: Point, _ direction: Double, _ offsets: [(Double, Double)],
    isClosed: Bool = false
  ) -> String {
    let points = offsets.map { pair(Point(x: tip.x + $0.0 * direction, y: tip.y + $0.1)) }
    return
      "<path class=\"\(name)\" d=\"M \(points.joined(separator: " L "))\(isClosed ? " Z" : "")\"/>"
  }

  private func rectangle(
    _ name: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double
  ) -> String {
    "<rect class=\"\(name)\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\"/>"
  }

  private func text(_ text: String, _ name: String, _ x: Double, _ y: Double, anchor: String? = nil)
    -> String
  {
    let end = anchor.map { " text-anchor=\"\($0)\"" } ?? ""
    return
      "<text class=\"\(name)\" x=\"\(number(x))\" y=\"\(number(y))\"\(end)>\(MarkupText.escaped(text))</text>"
  }

  private func pair(_ point: Point) -> String { "\(number(point.x)) \(number(point.y))" }

  /// A number with at most one decimal place.
  private func number(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)
  }
}
