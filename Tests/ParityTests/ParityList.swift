import Foundation

/// The symbols that Parhelion aims to provide, in sections as in `Documentation/Parity.symbols`.
struct ParityList {
  struct Section {
    let title: String
    var entries: [Entry] = []
  }

  struct Entry {
    /// The path of the symbol, such as `NSManagedObjectModel.init(byMerging:)`.
    let name: String
    /// The missing part of a symbol that exists, or the reason why one is unavailable.
    let gap: String?
    /// Whether the symbol is declared only to explain that it is unavailable.
    var isRefused = false
  }

  let sections: [Section]

  init(parsing text: String) throws {
    var sections: [Section] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("## ") {
        sections.append(Section(title: String(line.dropFirst(3))))
      } else if !line.isEmpty, !line.hasPrefix("#") {
        guard !sections.isEmpty else {
          throw ParityListError(line: index + 1, message: "a symbol before any section")
        }
        sections[sections.count - 1].entries += Self.entries(on: line)
      }
    }
    self.sections = sections
  }

  /// `Type: member; member -- gap; !member -- reason` or `name`.
  private static func entries(on line: Substring) -> [Entry] {
    guard let colon = line.range(of: ": ") else { return [entry(String(line), within: nil)] }
    let type = String(line[..<colon.lowerBound])
    let members = line[colon.upperBound...].components(separatedBy: "; ")
    return [entry(type, within: nil)] + members.map { entry($0, within: type) }
  }

  private static func entry(_ text: String, within type: String?) -> Entry {
    let parts = text.trimmingCharacters(in: .whitespaces).components(separatedBy: " -- ")
    let isRefused = parts[0].hasPrefix("!")
    let member = isRefused ? String(parts[0].dropFirst()) : parts[0]
    let name = [type, member].compactMap(\.self).joined(separator: ".")
    return Entry(name: name, gap: parts.count > 1 ? parts[1] : nil, isRefused: isRefused)
  }
}

struct ParityListError: Error {
  let line: Int
  let message: String
}
