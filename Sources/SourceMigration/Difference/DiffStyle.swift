/// The styles of a diff's lines.
struct DiffStyle {
  let isColoured: Bool

  func header(_ text: String) -> String { coloured(text, "1") + "\n" }

  func position(_ text: String) -> String { coloured(text, "36") + "\n" }

  func line(_ line: UnifiedDiff.Line) -> String {
    let content = line.text.last?.isNewline == true ? String(line.text.dropLast()) : line.text
    let ending =
      line.text.last?.isNewline == true
      ? String(line.text.suffix(1)) : "\n\\ No newline at end of file\n"
    let text = String(line.kind.rawValue) + content
    return switch line.kind {
    case .kept: text + ending
    case .removed: coloured(text, "31") + ending
    case .added: coloured(text, "32") + ending
    }
  }

  private func coloured(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
