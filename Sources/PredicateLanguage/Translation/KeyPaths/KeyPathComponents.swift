/// The steps in Swift's description of a key path, with their names or types.
///
/// `\Post.<computed 0x… (Optional<Author>)>?.<computed 0x… (String)>` has two steps with types but
/// no names, `\Point.x` one with a name but no type.
struct KeyPathComponents {
  private enum Step: Hashable {
    case stored(String)
    case computed(type: String)
  }

  private let steps: [Step]

  init(_ keyPath: AnyKeyPath) {
    let text = keyPath.debugDescription
    let root = "\\" + String(describing: type(of: keyPath).rootType)
    // If the root's description differs from its name, skip it up to the first dot.
    let path = text.hasPrefix(root) ? text.dropFirst(root.count) : text.drop { $0 != "." }
    steps = Self.split(path).filter { $0 != "self" }.map(Self.step)
  }

  /// Whether the key path is `\Root.self`.
  var isIdentity: Bool { steps.isEmpty }

  /// The types of the steps; an empty text for a step with a name instead.
  var types: [String] {
    steps.map { step in
      if case .computed(let type) = step { type } else { "" }
    }
  }

  /// The names of the steps, if every step is a stored property.
  var storedNames: [String]? {
    var names: [String] = []
    for step in steps {
      guard case .stored(let name) = step else { return nil }
      names.append(name)
    }
    return names
  }

  /// The parts between dots outside of angle brackets, without the marks of optional chaining.
  private static func split(_ path: Substring) -> [Substring] {
    var parts: [Substring] = []
    var start = path.startIndex
    var depth = 0
    for index in path.indices {
      switch path[index] {
      case "<": depth += 1
      case ">": depth -= 1
      case "." where depth == 0:
        parts.append(path[start..<index])
        start = path.index(after: index)
      default: break
      }
    }
    parts.append(path[start...])
    return parts.compactMap { part in
      let name = part.trimmingSuffix { $0 == "?" || $0 == "!" }
      return name.isEmpty ? nil : name
    }
  }

  /// Reads `<computed 0x… (Type)>` or a name.
  private static func step(_ text: Substring) -> Step {
    guard text.hasPrefix("<"), let open = text.firstIndex(of: "("),
      let close = text.lastIndex(of: ")"), open < close
    else { return .stored(String(text)) }
    return .computed(type: String(text[text.index(after: open)..<close]))
  }
}

extension Substring {
  fileprivate func trimmingSuffix(while isUnwanted: (Character) -> Bool) -> Substring {
    var result = self
    while let last = result.last, isUnwanted(last) { result.removeLast() }
    return result
  }
}
