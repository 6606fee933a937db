/// Moves `@objc`, `@objc(name)` and `@objcMembers` into `#if canImport(ObjectiveC)` … `#endif`.
///
/// The block must be among the attributes, before the first modifier: `public @objc func` becomes
/// the block and `public func`.
struct ObjectiveCAttributeRule: MigrationRule {
  private struct Attribute {
    /// The token before which the block is inserted.
    let anchor: Int
    let tokens: ClosedRange<Int>
  }

  func apply(to draft: inout FileDraft) {
    var group: [Attribute] = []
    for index in draft.source.tokens.indices {
      guard let attribute = attribute(at: index, in: draft.source) else { continue }
      reportOptionalRequirement(after: attribute, in: &draft)
      if let anchor = group.last?.anchor, anchor != attribute.anchor {
        wrap(group, in: &draft)
        group = []
      }
      group.append(attribute)
    }
    wrap(group, in: &draft)
  }

  private func attribute(at index: Int, in source: ScannedSource) -> Attribute? {
    guard source.isPunctuation(index, "@"), !source.needsObjectiveC(index),
      source.isWord(index + 1, "objc") || source.isWord(index + 1, "objcMembers")
    else { return nil }
    var last = index + 1
    if source.isWord(last, "objc"), source.isPunctuation(last + 1, "("),
      let end = source.partners[last + 1]
    {
      let isName = ((last + 2)..<end).allSatisfy {
        source.isName($0) || source.isPunctuation($0, ":")
      }
      guard isName else { return nil }
      last = end
    }
    return Attribute(anchor: anchor(of: index, in: source), tokens: index...last)
  }

  /// The token before which the block of an attribute is inserted.
  ///
  /// After a modifier, the block is before the first attribute or modifier on the line of the first
  /// modifier. Otherwise it is before the first attribute on the line of this attribute.
  private func anchor(of index: Int, in source: ScannedSource) -> Int {
    let elements = DeclarationPrefix(before: index, in: source).elements
    if let modifier = elements.firstIndex(where: { !$0.name.hasPrefix("@") }) {
      let start =
        elements[...modifier].lastIndex { source.tokens[$0.tokens.lowerBound].startsLine } ?? 0
      return elements[start].tokens.lowerBound
    }
    if source.tokens[index].startsLine { return index }
    let start = elements.lastIndex { source.tokens[$0.tokens.lowerBound].startsLine } ?? 0
    return elements.indices.contains(start) ? elements[start].tokens.lowerBound : index
  }

  private func wrap(_ group: [Attribute], in draft: inout FileDraft) {
    guard let first = group.first, let last = group.last else { return }
    let source = draft.source
    let start = source.tokens[first.anchor].range.lowerBound
    let lineBreak = source.newline + source.indentation(of: start)
    let attributes = group.map {
      source.text(source.bytes(from: $0.tokens.lowerBound, through: $0.tokens.upperBound))
    }
    var block = (["#if canImport(ObjectiveC)"] + attributes + ["#endif"]).joined(
      separator: lineBreak)
    if !source.startsItsLine(first.anchor) { block = lineBreak + block }

    if first.tokens.lowerBound == first.anchor, isContiguous(group) {
      let end = source.skippingBlanks(source.tokens[last.tokens.upperBound].range.upperBound)
      let ending = source.endsLine(end) ? "" : lineBreak
      draft.add(Edit(start..<end, block + ending))
    } else {
      draft.add(.insertion(block + lineBreak, at: start))
      for attribute in group { remove(attribute, in: &draft) }
    }
  }

  private func isContiguous(_ group: [Attribute]) -> Bool {
    zip(group, group.dropFirst()).allSatisfy { $0.tokens.upperBound + 1 == $1.tokens.lowerBound }
  }

  private func remove(_ attribute: Attribute, in draft: inout FileDraft) {
    let source = draft.source
    var range = source.bytes(
      from: attribute.tokens.lowerBound, through: attribute.tokens.upperBound)
    let end = source.skippingBlanks(range.upperBound)
    if !source.endsLine(end) {
      range = range.lowerBound..<end
    } else if source.startsItsLine(attribute.tokens.lowerBound) {
      range = source.lineStart(of: range.lowerBound)..<source.nextLineStart(after: range.lowerBound)
    } else {
      let start = source.bytes[..<range.lowerBound].lastIndex { !$0.isBlank }.map { $0 + 1 } ?? 0
      range = start..<end
    }
    draft.add(Edit(range, ""))
  }

  private func reportOptionalRequirement(after attribute: Attribute, in draft: inout FileDraft) {
    let source = draft.source
    var next = attribute.tokens.upperBound + 1
    while source.isKeyword(next), DeclarationPrefix.modifiers.contains(source.spelling(next)) {
      if source.isWord(next, "optional") {
        draft.report(
          .warning, atToken: next,
          "an optional requirement needs the Objective-C runtime; "
            + "make it required and give it a default in an extension of the protocol")
        return
      }
      next += 1
    }
  }
}
