/// Reads the developer's own keys and values: `<userInfo><entry key="…" value="…"/></userInfo>`.
enum UserInfo {
  /// The entries of an element's `<userInfo>`, or nil if it has none.
  static func read(inside outer: ElementReader) -> [AnyHashable: Any]? {
    var entries: [String: String] = [:]
    for info in outer.element.children(named: "userInfo") {
      let reader = ElementReader(info, in: outer.file, inside: outer.path)
      for child in info.children {
        guard child.name == "entry" else {
          reader.unknownChild(child)
          continue
        }
        readEntry(child, inside: reader, into: &entries)
      }
    }
    return entries.isEmpty ? nil : entries
  }

  private static func readEntry(
    _ element: SourceElement, inside outer: ElementReader, into entries: inout [String: String]
  ) {
    var reader = ElementReader(element, in: outer.file, inside: outer.path)
    guard let key = reader.text("key") else {
      reader.error(.missingValue, "key", "The entry has no key.", "Add one, or remove the entry.")
      return
    }
    if entries[key] != nil {
      reader.warning(
        .duplicateName, "key", "The key \(key) occurs twice; the last value is used.",
        "Remove one of them.")
    }
    entries[key] = reader.text("value") ?? ""
    reader.finish()
  }
}
