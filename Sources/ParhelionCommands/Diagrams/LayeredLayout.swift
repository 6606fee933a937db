/// Places boxes in layers, so that arrows have one direction and few crossings.
///
/// It is the classic layered method in four deterministic steps: break cycles, assign layers by
/// longest path, add placeholder nodes where an edge crosses a layer, and order each layer by the
/// mean of the neighbors. Layers are columns, because entity boxes are tall rather than wide.
struct LayeredLayout {
  struct Size {
    var width: Double
    var height: Double
  }

  struct Point: Equatable {
    var x: Double
    var y: Double
  }

  /// A box by its index in the input, or a placeholder, whose index is nil.
  private struct Node {
    let box: Int?
    var size: Size
    var layer = 0
    var top = 0.0
  }

  /// The upper left corner of each box.
  private(set) var origins: [Point] = []
  /// The points that each edge passes between its two boxes, in its direction.
  private(set) var bends: [[Point]] = []
  private(set) var size = Size(width: 0, height: 0)

  static let columnGap = 90.0
  static let rowGap = 28.0

  private var nodes: [Node] = []
  private var chains: [[Int]] = []
  private var isReversed: [Bool] = []
  private var columns: [[Int]] = []

  /// Places boxes that edges connect.
  ///
  /// Each edge is a pair of indexes of different boxes.
  init(boxes: [Size], edges: [(from: Int, to: Int)]) {
    nodes = boxes.enumerated().map { Node(box: $0.offset, size: $0.element) }
    let directed = breakCycles(edges)
    assignLayers(directed)
    insertStandIns(directed)
    orderColumns()
    assignPlaces()
    collect()
  }

  // MARK: Directions and layers

  /// Reverses edges that lead back to a box on the search path.
  private mutating func breakCycles(_ edges: [(from: Int, to: Int)]) -> [(from: Int, to: Int)] {
    var outgoing = Array(repeating: [Int](), count: nodes.count)
    for (index, edge) in edges.enumerated() { outgoing[edge.from].append(index) }
    isReversed = Array(repeating: false, count: edges.count)
    var state = Array(repeating: 0, count: nodes.count)  // 0 unseen, 1 on the way, 2 done
    for start in nodes.indices where state[start] == 0 {
      var way = [(node: start, next: 0)]
      state[start] = 1
      while let last = way.indices.last {
        let (node, next) = way[last]
        guard next < outgoing[node].count else {
          state[node] = 2
          way.removeLast()
          continue
        }
        way[last].next += 1
        let edge = outgoing[node][next]
        let target = edges[edge].to
        if state[target] == 1 {
          isReversed[edge] = true
        } else if state[target] == 0 {
          state[target] = 1
          way.append((target, 0))
        }
      }
    }
    return edges.enumerated().map {
      isReversed[$0.offset] ? ($0.element.to, $0.element.from) : $0.element
    }
  }

  /// Puts each box one layer after its last predecessor.
  private mutating func assignLayers(_ edges: [(from: Int, to: Int)]) {
    var waiting = Array(repeating: 0, count: nodes.count)
    var outgoing = Array(repeating: [Int](), count: nodes.count)
    for edge in edges {
      waiting[edge.to] += 1
      outgoing[edge.from].append(edge.to)
    }
    var ready = nodes.indices.filter { waiting[$0] == 0 }
    while let node = ready.popLast() {
      for target in outgoing[node] {
        nodes[target].layer = max(nodes[target].layer, nodes[node].layer + 1)
        waiting[target] -= 1
        if waiting[target] == 0 { ready.append(target) }
      }
    }
  }

  private mutating func insertStandIns(_ edges: [(from: Int, to: Int)]) {
    for edge in edges {
      var chain = [edge.from]
      for layer
        in (nodes[edge.from].layer + 1)..<max(nodes[edge.to].layer, nodes[edge.from].layer + 1)
      {
        nodes.append(Node(box: nil, size: Size(width: 0, height: 4), layer: layer))
        chain.append(nodes.count - 1)
      }
      chains.append(chain + [edge.to])
    }
  }

  // MARK: Order and places

  private mutating func orderColumns() {
    let count = (nodes.map(\.layer).max() ?? -1) + 1
    columns = Array(repeating: [], count: count)
    for node in nodes.indices { columns[nodes[node].layer].append(node) }
    var before = Array(repeating: [Int](), count: nodes.count)
    var after = before
    for chain in chains {
      for (left, right) in zip(chain, chain.dropFirst()) {
        after[left].append(right)
        before[right].append(left)
      }
    }
    var ranks = Array(repeating: 0.0, count: nodes.count)
    for column in columns { rank(column, in: &ranks) }
    for round in 0..<8 {
      let forward = round % 2 == 0
      for layer in forward ? Array(columns.indices) : columns.indices.reversed() {
        sort(layer, by: forward ? before : after, with: &ranks)
      }
    }
  }

  /// Orders a layer by the mean of the neighbors, and updates the ranks of this layer only: long
  /// edges create far more placeholders than boxes.
  private mutating func sort(_ layer: Int, by neighbours: [[Int]], with ranks: inout [Double]) {
    let column = columns[layer].enumerated().map { position, node in
      let near = neighbours[node]
      let middle =
        near.isEmpty ? Double(position) : near.map { ranks[$0] }.reduce(0, +) / Double(near.count)
      return (middle: middle, position: position, node: node)
    }
    columns[layer] = column.sorted { ($0.middle, $0.position) < ($1.middle, $1.position) }.map(
      \.node)
    rank(columns[layer], in: &ranks)
  }

  private func rank(_ column: [Int], in ranks: inout [Double]) {
    for (position, node) in column.enumerated() { ranks[node] = Double(position) }
  }

  private mutating func assignPlaces() {
    let heights = columns.map { column in
      column.map { nodes[$0].size.height }.reduce(0, +) + Double(max(0, column.count - 1))
        * Self.rowGap
    }
    let height = heights.max() ?? 0
    for (column, own) in zip(columns, heights) {
      var top = (height - own) / 2
      for node in column {
        nodes[node].top = top
        top += nodes[node].size.height + Self.rowGap
      }
    }
    size.height = height
  }

  private mutating func collect() {
    var lefts: [Double] = []
    var rights: [Double] = []
    var left = 0.0
    for column in columns {
      lefts.append(left)
      let width = column.map { nodes[$0].size.width }.max() ?? 0
      rights.append(left + width)
      size.width = left + width
      left += width + Self.columnGap
    }
    let boxes = nodes.filter { $0.box != nil }
    origins = boxes.map { Point(x: lefts[$0.layer], y: $0.top) }
    bends = chains.enumerated().map { index, chain in
      // An edge crosses the whole column horizontally, so that it does not bend into adjacent
      // boxes.
      let points = chain.dropFirst().dropLast().flatMap { node in
        let height = nodes[node].top + nodes[node].size.height / 2
        return [
          Point(x: lefts[nodes[node].layer], y: height),
          Point(x: rights[nodes[node].layer], y: height),
        ]
      }
      return isReversed[index] ? points.reversed() : Array(points)
    }
  }
}
