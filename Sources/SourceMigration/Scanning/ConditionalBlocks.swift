/// The effect of a file's `#if` blocks on its tokens.
struct ConditionalBlocks: Sendable {
  /// For each token, whether a block around it is compiled only with Objective-C.
  private(set) var needsObjectiveC: [Bool]

  /// For each token, the number of blocks around it.
  private(set) var depths: [Int]

  private struct Block {
    let start: Int
    /// Whether the current branch needs Objective-C, including the blocks around it.
    var branchNeedsObjectiveC: Bool
    let isInsideSuchBlock: Bool
    /// Whether an earlier branch is always taken without Objective-C, so that later ones are not.
    var isTaken: Bool
  }

  init(tokens: [Token]) throws(ScanFailure) {
    needsObjectiveC = []
    depths = []
    var blocks: [Block] = []
    for (index, token) in tokens.enumerated() {
      if token.kind == .directive {
        try Self.follow(index, of: tokens, in: &blocks)
      }
      needsObjectiveC.append(blocks.last?.branchNeedsObjectiveC ?? false)
      depths.append(blocks.count)
    }
    if let open = blocks.last {
      throw ScanFailure(offset: open.start, message: "this #if has no #endif")
    }
  }

  private static func follow(_ index: Int, of tokens: [Token], in blocks: inout [Block])
    throws(ScanFailure)
  {
    let token = tokens[index]
    switch token.spelling {
    case "#if":
      let outer = blocks.last?.branchNeedsObjectiveC ?? false
      guard blocks.count < Limits.conditionDepth else {
        throw ScanFailure(offset: token.range.lowerBound, message: "#if is nested too deep")
      }
      blocks.append(
        Block(
          start: token.range.lowerBound, branchNeedsObjectiveC: false, isInsideSuchBlock: outer,
          isTaken: false))
      enterBranch(holding: condition(after: index, of: tokens), in: &blocks)
    case "#elseif", "#else", "#endif":
      guard !blocks.isEmpty else {
        throw ScanFailure(
          offset: token.range.lowerBound, message: "this \(token.spelling) has no #if")
      }
      if token.spelling == "#endif" {
        blocks.removeLast()
      } else {
        enterBranch(
          holding: token.spelling == "#else" ? true : condition(after: index, of: tokens),
          in: &blocks)
      }
    default:
      break
    }
  }

  private static func enterBranch(holding condition: Bool?, in blocks: inout [Block]) {
    guard var block = blocks.popLast() else { return }
    block.branchNeedsObjectiveC = block.isInsideSuchBlock || block.isTaken || condition == false
    if condition == true { block.isTaken = true }
    blocks.append(block)
  }

  private static func condition(after index: Int, of tokens: [Token]) -> Bool? {
    let rest = tokens[(index + 1)...].prefix { !$0.startsLine }
    return CompilationCondition(Array(rest)).valueWithoutObjectiveC
  }
}
