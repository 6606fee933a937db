/// The name that a device gives itself, which stands beside the question whether it may have the
/// keys.
///
/// It comes from a server that is not trusted. A terminal would run its escape sequences, a new
/// line would pass for the program's own, and bidirectional controls would turn the text around it.
enum DeviceName {
  /// One line of visible characters, within the limit; never empty.
  static func cleaned(_ name: String) -> String {
    let visible = String(
      String.UnicodeScalarView(name.unicodeScalars.map { isVisible($0) ? $0 : " " }))
    var line = visible.split(separator: " ").joined(separator: " ")
    while line.utf8.count > Limits.deviceNameBytes { line.removeLast() }
    return line.isEmpty ? "unnamed" : line
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse,
      .unassigned, .surrogate:
      false
    default: true
    }
  }
}
