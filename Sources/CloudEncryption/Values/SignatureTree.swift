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
  /// The hashes of each level, the leaves first.
  private let levels: [[ShortDigest]]

  /// - Parameter leaves: At least one and at most ``Limits/signedValues`` hashes.
  package init(_ leaves: [ShortDigest]) {
    precondition((1...Limits.signedValues).contains(leaves.count), "A signature has some values.")
    var levels = [leaves]
    while let last = levels.last, last.count > 1 {
      levels.append(
        stride(from: 0, to: last.count, by: 2).map { start in
          // The last one of an odd number moves up as it is.
          start + 1 < last.count ? .node(last[start], last[start + 1]) : last[start]
        })
    }
    self.levels = levels
  }

  package var root: ShortDigest { levels[levels.count - 1][0] }

  /// Returns the path from a leaf to the root.
  package func path(of leaf: Int) -> SignaturePath {
    var (path, place) = (SignaturePath(), leaf)
    for level in levels.dropLast() {
      let other = place ^ 1
      if other < level.count { path.append(level[other], isLeft: other < place) }
      place /= 2
    }
    return path
  }
}

/// The hashes beside the way from a leaf of a ``SignatureTree`` to its root.
package struct SignaturePath: Hashable, Sendable {
  /// A hash beside the way.
  struct Step: Hashable, Sendable {
    let other: ShortDigest
    /// Whether it is the left one of its pair.
    let isLeft: Bool

    func joined(with node: ShortDigest) -> ShortDigest {
      isLeft ? .node(other, node) : .node(node, other)
    }
  }

  private(set) var steps: [Step] = []

  fileprivate init() {}

  fileprivate mutating func append(_ other: ShortDigest, isLeft: Bool) {
    steps.append(Step(other: other, isLeft: isLeft))
  }

  /// The root of a leaf's tree.
  package func root(of leaf: ShortDigest) -> ShortDigest {
    steps.reduce(leaf) { $1.joined(with: $0) }
  }

  // MARK: Bytes

  func write(to form: inout BinaryWriter) {
    form.byte(UInt8(steps.count))
    // A bit for each hash, the lowest for the first: whether it is the left one.
    form.number(steps.reversed().reduce(0) { $0 << 1 | ($1.isLeft ? 1 : 0) })
    for step in steps { form.digest(step.other) }
  }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    let count = Int(try form.byte())
    let sides = try form.number()
    guard count <= Limits.signedValues.trailingZeroBitCount, sides >> UInt64(count) == 0 else {
      throw form.damage("its signature is of too many values")
    }
    steps.reserveCapacity(count)
    for index in 0..<count {
      steps.append(Step(other: try form.digest(), isLeft: sides >> UInt64(index) & 1 == 1))
    }
  }
}

extension ShortDigest {
  private static let leaf = Purpose("parhelion.leaf.1")
  private static let node = Purpose("parhelion.node.1")

  /// The hash of a value and its place.
  static func leaf(place: [UInt8], content: ArraySlice<UInt8>) -> ShortDigest {
    ShortDigest(of: place, content, for: leaf)
  }

  fileprivate static func node(_ left: ShortDigest, _ right: ShortDigest) -> ShortDigest {
    ShortDigest(joining: left, right, for: node)
  }
}

extension BinaryWriter {
  mutating func digest(_ digest: ShortDigest) {
    word(digest.high)
    word(digest.low)
  }
}

extension BinaryReader {
  mutating func digest() throws(BinaryCodingError) -> ShortDigest {
    let high = try word()
    return ShortDigest(high: high, low: try word())
  }
}
