/// The lines of a member to move: its comments, attributes and body.
struct MovedMember {
  let range: Range<Int>

  init?(_ member: MemberDeclaration, of type: TypeDeclaration, in source: ScannedSource) {
    guard let brace = Self.bodyEnd(of: member, of: type, in: source) else { return nil }
    let first = member.prefix.start(before: member.introducer)
    var start = source.tokens[first].range.lowerBound
    if source.startsItsLine(first) {
      start = Self.startOfComments(above: source.lineStart(of: start), in: source)
    }
    let end = source.tokens[brace].range.upperBound
    let sharesLine = brace + 1 < source.tokens.count && !source.tokens[brace + 1].startsLine
    range = start..<(sharesLine ? end : max(end, source.nextLineStart(after: end)))
  }

  private static func bodyEnd(
    of member: MemberDeclaration, of type: TypeDeclaration, in source: ScannedSource
  ) -> Int? {
    var index = member.introducer + 1
    while index < type.body.upperBound {
      if source.isPunctuation(index, "{") { return source.partners[index] }
      // The next declaration begins: this one has no body.
      if source.isKeyword(index), wordsOfDeclarations.contains(source.spelling(index)) {
        return nil
      }
      if let partner = source.partners[index], partner > index { index = partner }
      index += 1
    }
    return nil
  }

  private static let wordsOfDeclarations: Set<String> = [
    "func", "var", "let", "init", "subscript", "class", "struct", "enum", "actor", "extension",
    "override", "case",
  ]

  /// The start of the comment lines above a line.
  private static func startOfComments(above lineStart: Int, in source: ScannedSource) -> Int {
    var start = lineStart
    while start > 0 {
      let previous = source.lineStart(of: start - 1)
      let text = source.skippingBlanks(previous)
      guard let comment = source.comments.first(where: { $0.contains(text) }),
        source.endsLine(comment.upperBound) || comment.upperBound >= start
      else { break }
      let commentLine = source.lineStart(of: comment.lowerBound)
      guard source.skippingBlanks(commentLine) == comment.lowerBound else { break }
      start = commentLine
    }
    return start
  }

  /// The range to remove, so that no double blank line remains.
  static func removal(of range: Range<Int>, in source: ScannedSource) -> Range<Int> {
    guard range.lowerBound == source.lineStart(of: range.lowerBound), range.lowerBound > 0 else {
      return range
    }
    let previous = source.lineStart(of: range.lowerBound - 1)
    let next = source.skippingBlanks(range.upperBound)
    let isNextBlank = source.endsLine(range.upperBound)
    let closes = next < source.bytes.count && source.bytes[next] == UInt8(ascii: "}")
    if source.endsLine(previous), isNextBlank || closes { return previous..<range.upperBound }
    let opens =
      source.bytes[..<(range.lowerBound)].last { !$0.isBlank && !$0.isLineEnd } == UInt8(ascii: "{")
    if opens, isNextBlank, range.upperBound < source.bytes.count {
      return range.lowerBound..<source.nextLineStart(after: range.upperBound)
    }
    return range
  }
}
