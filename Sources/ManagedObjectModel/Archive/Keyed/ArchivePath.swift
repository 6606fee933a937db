/// The path of keys from the root of an archive to a value.
///
/// It is a linked list that is formatted only for errors: a hostile archive may have names of
/// megabytes.
package final class ArchivePath: CustomStringConvertible, Sendable {
  private let parent: ArchivePath?
  private let component: String

  init(_ component: String, in parent: ArchivePath? = nil) {
    self.component = component
    self.parent = parent
  }

  /// The components, separated by dots; long ones are shortened.
  package var description: String {
    var components: [String] = []
    var next: ArchivePath? = self
    while let path = next {
      components.append(
        path.component.count > 60 ? "\(path.component.prefix(60))…" : path.component)
      next = path.parent
    }
    return components.reversed().joined(separator: ".")
  }
}
