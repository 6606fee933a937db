import BinaryCoding
package import Cryptography

/// The hashes of values that a user signs together.
///
///             root             signed
///            ╱    ╲
///         node    node
///        ╱    ╲      ╲
///      leaf   leaf   leaf      one for each value
///
/// A value carries the path from its leaf to the root, so it can be checked alone.
package struct SignatureTree: Sendable {
  private let leafCount: Int
  /// The hashes level by level, the leaves first.
  private let nodes: [ShortDigest]

  /// - Parameter leaves: At least one and at most ``Limits/signedValues`` hashes.
  package init(_ leaves: ArraySlice<ShortDigest>, _ hasher: inout ShortHasher) {
    precondition((1...Limits.signedValues).contains(leaves.count), "A signature has some values.")
    leafCount = leaves.count
    var nodes = Array(leaves)
    nodes.reserveCapacity(TreeWalk.nodeCount(ofLeaves: leafCount))
    var (start, count) = (0, leafCount)
    while count > 1 {
      for place in stride(from: start, to: start + count, by: 2) {
        // On a level with an odd number of nodes, the last one moves up unchanged.
        nodes.append(
          place + 1 < start + count
            ? hasher.node(nodes[place], nodes[place + 1]) : nodes[place])
      }
      (start, count) = (start + count, (count + 1) / 2)
    }
    self.nodes = nodes
  }

  package var root: ShortDigest { nodes[nodes.count - 1] }

  /// Returns the path from a leaf to the root.
  package func path(of leaf: Int) -> SignaturePath {
    var walk = TreeWalk(from: leaf, of: leafCount)
    var form = BinaryWriter(
      capacity: Limits.signedValues.trailingZeroBitCount * ShortDigest.byteCount)
    while !walk.isAtRoot {
      if let sibling = walk.sibling { form.digest(nodes[sibling]) }
      walk.ascend()
    }
    return SignaturePath(leaf: leaf, leafCount: leafCount, hashes: form.finish()[...])
  }
}

/// The sibling hashes on the path from a leaf of a ``SignatureTree`` to its root.
package struct SignaturePath: Hashable, Sendable {
  let leaf: Int
  let leafCount: Int
  /// The hashes as bytes, because most of them are never read.
  let hashes: ArraySlice<UInt8>

  fileprivate init(leaf: Int, leafCount: Int, hashes: ArraySlice<UInt8>) {
    (self.leaf, self.leafCount, self.hashes) = (leaf, leafCount, hashes)
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.count(leafCount)
    form.count(leaf)
    form.fixed(hashes)
  }

  /// - Parameter bytes: The bytes that the reader reads, which stay in memory with the path.
  init(from form: inout BinaryReader, of bytes: [UInt8]) throws(BinaryCodingError) {
    let (count, leaf) = (try form.number(), try form.number())
    guard count <= UInt64(Limits.signedValues), leaf < count else {
      throw form.error("its signature is of too many values")
    }
    let start = form.offset
    var walk = TreeWalk(from: Int(leaf), of: Int(count))
    while !walk.isAtRoot {
      if walk.sibling != nil { try form.skip(ShortDigest.byteCount) }
      walk.ascend()
    }
    self.init(leaf: Int(leaf), leafCount: Int(count), hashes: bytes[start..<form.offset])
  }
}

/// A walk from a leaf to the root of a tree.
///
/// Nodes are numbered level by level, the leaves first.
struct TreeWalk {
  /// The number of the level's first node.
  private var start = 0
  private var place: Int
  private var count: Int

  init(from leaf: Int, of leafCount: Int) { (place, count) = (leaf, leafCount) }

  var isAtRoot: Bool { count == 1 }
  var node: Int { start + place }
  /// Whether the node is the right one of its pair.
  var isRight: Bool { place & 1 == 1 }

  /// The other node of the pair; nil for the last node of a level with an odd number of nodes.
  var sibling: Int? {
    let other = place ^ 1
    return other < count ? start + other : nil
  }

  mutating func ascend() { (start, place, count) = (start + count, place / 2, (count + 1) / 2) }

  static func nodeCount(ofLeaves leafCount: Int) -> Int {
    var walk = TreeWalk(from: 0, of: leafCount)
    while !walk.isAtRoot { walk.ascend() }
    return walk.node + 1
  }
}

/// The known hashes of a tree whose root a user has signed.
///
/// The siblings on a path to the root are signed, too. So for most values of a batch, at most one
/// node must be hashed.
struct VerifiedTree: Sendable {
  private var nodes: [ShortDigest?]
  private let leafCount: Int

  init(ofLeaves leafCount: Int) {
    nodes = Array(repeating: nil, count: TreeWalk.nodeCount(ofLeaves: leafCount))
    self.leafCount = leafCount
  }

  var nodeCount: Int { nodes.count }
  /// The root; nil until a path is added.
  var root: ShortDigest? { nodes[nodes.count - 1] }

  /// Adds a leaf and the siblings on its path, unless they contradict a known hash.
  ///
  /// - Returns: Whether the leaf is in the tree.
  mutating func add(_ leaf: ShortDigest, _ path: SignaturePath, _ hasher: inout ShortHasher) -> Bool
  {
    guard path.leafCount == leafCount else { return false }
    var (hash, walk) = (leaf, TreeWalk(from: path.leaf, of: leafCount))
    var others = path.hashes
    while nodes[walk.node] == nil {
      nodes[walk.node] = hash
      if walk.isAtRoot { return true }
      if let sibling = walk.sibling {
        let other = ShortDigest(others)
        others = others.dropFirst(ShortDigest.byteCount)
        nodes[sibling] = other
        hash = walk.isRight ? hasher.node(other, hash) : hasher.node(hash, other)
      }
      walk.ascend()
    }
    if nodes[walk.node] == hash { return true }
    removePath(of: path.leaf, upTo: walk.node)
    return false
  }

  /// Removes a leaf and the siblings on its path, which were added in pairs.
  private mutating func removePath(of leaf: Int, upTo end: Int) {
    var walk = TreeWalk(from: leaf, of: leafCount)
    while walk.node != end {
      nodes[walk.node] = nil
      if let sibling = walk.sibling { nodes[sibling] = nil }
      walk.ascend()
    }
  }
}

extension ShortHasher {
  private static let leaf = ShortDigest.Purpose("parhelion.leaf.1")
  private static let node = ShortDigest.Purpose("parhelion.node.1")

  /// The hash of a value and its place.
  mutating func leaf(place: [UInt8], content: ArraySlice<UInt8>) -> ShortDigest {
    digest(of: place, content, for: Self.leaf)
  }

  fileprivate mutating func node(_ left: ShortDigest, _ right: ShortDigest) -> ShortDigest {
    digest(joining: left, right, for: Self.node)
  }
}

extension BinaryWriter {
  mutating func digest(_ digest: ShortDigest) {
    word(digest.high)
    word(digest.low)
  }
}
