/// The name of a class as data models write it: `Car`, `.Car` for the module that the model is
/// compiled into, or `Module.Car`.
package struct SourceClassName: Hashable, Sendable {
  /// The module of the class.
  package enum Module: Hashable, Sendable {
    /// No module is named, as in Objective-C.
    case none
    /// The module that the model is compiled into.
    case current
    /// A named module; the name may contain dots.
    case named(String)
  }

  package let module: Module
  package let name: String

  /// Parses a name; nil if it is empty.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = parts.last, !last.isEmpty else { return nil }
    let before = parts.dropLast().joined(separator: ".")
    name = String(last)
    module =
      switch (parts.count, before.isEmpty) {
      case (1, _): .none
      case (_, true): .current
      default: .named(before)
      }
  }

  /// The name as data models write it.
  package var text: String {
    switch module {
    case .none: name
    case .current: ".\(name)"
    case .named(let module): "\(module).\(name)"
    }
  }

  /// The name with its module, given the current module.
  package func qualified(in current: String) -> String {
    module == .current ? "\(current).\(name)" : text
  }
}
