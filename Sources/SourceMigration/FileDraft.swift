/// The proposed changes of one file, which the rules collect.
struct FileDraft {
  let source: ScannedSource
  let declarations: SourceDeclarations
  let index: DeclarationIndex
  let options: MigrationOptions
  private(set) var edits: [Edit] = []
  private(set) var diagnostics: [Diagnostic] = []

  /// Proposes to replace a range.
  ///
  /// A range that contains a comment is reported instead.
  @discardableResult
  mutating func replace(_ range: Range<Int>, by text: String, advice: String) -> Bool {
    if source.containsComment(range) {
      report(
        .warning, at: range.lowerBound,
        "the code to rewrite contains a comment; move it, or change the code by hand: \(advice)"
      )
      return false
    }
    edits.append(Edit(range, text))
    return true
  }

  /// Proposes an edit that preserves the user's own text.
  mutating func add(_ edit: Edit) { edits.append(edit) }

  /// The text of a range, with the edits inside it and additional edits applied.
  func text(of range: Range<Int>, adding more: [Edit]) -> String {
    (edits + more).applied(to: source.bytes, within: range)
  }

  func inserts(at offset: Int) -> Bool { edits.contains { $0.range == offset..<offset } }

  /// Removes the edits inside a range and returns its edited text, to be moved elsewhere.
  mutating func takeText(of range: Range<Int>) -> String {
    // An insertion at the end of the range belongs to the text after it.
    let isTaken: (Edit) -> Bool = { $0.isInside(range) && range.contains($0.range.lowerBound) }
    let text = edits.filter(isTaken).applied(to: source.bytes, within: range)
    edits.removeAll(where: isTaken)
    return text
  }

  /// Proposes to remove a range, except for parts that an earlier removal covers.
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
