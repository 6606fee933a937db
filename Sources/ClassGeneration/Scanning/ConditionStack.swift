/// The `#if` blocks around a position in a source file.
///
/// Conditions that are true only on Apple's platforms are false for generated code. All others are
/// left to the compiler: the generated code repeats the condition.
struct ConditionStack: Sendable {
  private enum Truth { case yes, no, unknown }

  private struct Block {
    var earlier: [String]
    var current: String
  }

  private var blocks: [Block] = []

  mutating func apply(_ directive: SourceToken.Directive, condition: String) {
    switch directive {
    case .if: blocks.append(Block(earlier: [], current: condition))
    case .elseif, .else:
      guard var block = blocks.popLast() else { return }
      block.earlier.append(block.current)
      block.current = directive == .else ? "true" : condition
      blocks.append(block)
    case .endif: _ = blocks.popLast()
    }
  }

  /// Whether the text here is never compiled together with generated code.
  var isNeverCompiled: Bool {
    blocks.contains { block in
      Self.truth(of: block.current) == .no || block.earlier.contains { Self.truth(of: $0) == .yes }
    }
  }

  /// The conditions that the compiler must evaluate.
  var undecided: [String] {
    blocks.flatMap { block in
      block.earlier.filter { Self.truth(of: $0) == .unknown }.map { "!(\($0))" }
        + (Self.truth(of: block.current) == .unknown ? [block.current] : [])
    }
  }

  private static let neverHere: Set<String> = [
    "canImport(ObjectiveC)", "canImport(Darwin)", "canImport(UIKit)", "canImport(AppKit)",
    "os(macOS)", "os(iOS)",
    "os(tvOS)", "os(watchOS)", "os(visionOS)", "false",
  ]

  private static func truth(of condition: String) -> Truth {
    var rest = condition.filter { !$0.isWhitespace }[...]
    let truth = disjunction(&rest)
    return rest.isEmpty ? truth : .unknown
  }

  private static func disjunction(_ rest: inout Substring) -> Truth {
    var truths = [conjunction(&rest)]
    while rest.removePrefix("||") { truths.append(conjunction(&rest)) }
    if truths.contains(.yes) { return .yes }
    return truths.contains(.unknown) ? .unknown : .no
  }

  private static func conjunction(_ rest: inout Substring) -> Truth {
    var truths = [factor(&rest)]
    while rest.removePrefix("&&") { truths.append(factor(&rest)) }
    if truths.contains(.no) { return .no }
    return truths.contains(.unknown) ? .unknown : .yes
  }

  private static func factor(_ rest: inout Substring) -> Truth {
    if rest.removePrefix("!") {
      switch factor(&rest) {
      case .yes: return .no
      case .no: return .yes
      case .unknown: return .unknown
      }
    }
    if rest.removePrefix("(") {
      let truth = disjunction(&rest)
      return rest.removePrefix(")") ? truth : .unknown
    }
    let term = rest.removeTerm()
    if term == "true" { return .yes }
    return neverHere.contains(term) ? .no : .unknown
  }
}

extension Substring {
  /// Removes a prefix, and returns whether the text had it.
  fileprivate mutating func removePrefix(_ prefix: String) -> Bool {
    guard hasPrefix(prefix) else { return false }
    removeFirst(prefix.count)
    return true
  }

  /// Removes a name with its argument, or a comparison, up to the next operator.
  fileprivate mutating func removeTerm() -> String {
    var depth = 0
    let end = indices.first { index in
      if self[index] == "(" { depth += 1 }
      if self[index] == ")" { depth -= 1 }
      return depth < 0 || depth == 0 && ["&&", "||"].contains { self[index...].hasPrefix($0) }
    }
    defer { self = self[(end ?? endIndex)...] }
    return String(self[..<(end ?? endIndex)])
  }
}
