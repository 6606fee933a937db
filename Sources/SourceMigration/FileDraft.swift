/// What is proposed for one file while the rules run over it.
struct FileDraft {
  let source: ScannedSource
  let declarations: SourceDeclarations
  let index: DeclarationIndex
  let options: MigrationOptions
  private(set) var edits: [Edit] = []
  private(set) var diagnostics: [Diagnostic] = []

  /// Proposes to replace a range.
  ///
  /// A range that holds a comment is left alone, and said so.
  @discardableResult
  mutating func replace(_ range: Range<Int>, by text: String, advice: String) -> Bool {
    if source.containsComment(range) {
      report(
        .warning, at: range.lowerBound,
        "a comment stands inside of what would be rewritten; move it, or change the code by hand: \(advice)"
      )
      return false
    }
    edits.append(Edit(range, text))
    return true
  }

  /// Proposes an edit that keeps everything of the reader's own text.
  mutating func add(_ edit: Edit) { edits.append(edit) }

  /// The text of a range with the edits inside of it and some more made.
  func text(of range: Range<Int>, adding more: [Edit]) -> String {
    (edits + more).applied(to: source.bytes, within: range)
  }

  func inserts(at offset: Int) -> Bool { edits.contains { $0.range == offset..<offset } }

  /// Takes the text of a range, with the edits inside of it made, so that it can stand elsewhere.
  mutating func takeText(of range: Range<Int>) -> String {
    // An insertion at the end of the range belongs to what follows.
    let isTaken: (Edit) -> Bool = { $0.isInside(range) && range.contains($0.range.lowerBound) }
    let text = edits.filter(isTaken).applied(to: source.bytes, within: range)
    edits.removeAll(where: isTaken)
    return text
  }

  /// Proposes to remove a range, except for what an earlier removal covers already.
  mutating func remove(_ range: Range<Int>) {
    var start = range.lowerBound
    for edit in edits where edit.range.contains(start) { start = edit.range.upperBound }
    if start < range.upperBound { edits.append(Edit(start..<range.upperBound, "")) }
  }

  mutating func report(_ severity: Diagnostic.Severity, at offset: Int, _ message: String) {
    let (line, column) = source.position(of: offset)
    diagnostics.append(
      Diagnostic(severity, path: source.file.path, line: line, column: column, message: message))
  }

  mutating func report(_ severity: Diagnostic.Severity, atToken index: Int, _ message: String) {
    report(severity, at: source.tokens[index].range.lowerBound, message)
  }
}
