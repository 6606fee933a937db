/// The name of a device that asks for the keys, as another device shows it.
///
/// It comes from an untrusted server. Escape sequences could control a terminal, a line break could
/// imitate the program's own output, and bidirectional controls could reorder the text around it.
enum DeviceName {
  /// Returns a name as one nonempty line of visible characters within the limit.
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
