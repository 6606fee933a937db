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
    let text = condition.filter { !$0.isWhitespace }
    if text == "true" { return .yes }
    if neverHere.contains(text) { return .no }
    if text.hasPrefix("!"), neverHere.contains(String(text.dropFirst())) { return .yes }
    let alternatives = text.components(around: "||")
    if alternatives.count > 1 {
      return alternatives.allSatisfy { neverHere.contains($0) } ? .no : .unknown
    }
    return text.components(around: "&&").contains { neverHere.contains($0) } ? .no : .unknown
  }
}

extension String {
  /// The parts between the separators, including separators within parentheses.
  fileprivate func components(around separator: String) -> [String] {
    var parts = [""]
    var rest = self[...]
    while !rest.isEmpty {
      if rest.hasPrefix(separator) {
        parts.append("")
        rest = rest.dropFirst(separator.count)
      } else {
        parts[parts.count - 1].append(rest.removeFirst())
      }
    }
    return parts
  }
}
