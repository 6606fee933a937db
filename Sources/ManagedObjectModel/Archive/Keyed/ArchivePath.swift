/// The keys that lead from the root of an archive to a place in it.
///
/// A linked list that is only spelled out for an error: names in a hostile archive may be megabytes
/// long.
package final class ArchivePath: CustomStringConvertible, Sendable {
  private let parent: ArchivePath?
  private let component: String

  init(_ component: String, in parent: ArchivePath? = nil) {
    self.component = component
    self.parent = parent
  }

  /// The components with dots between them, long ones shortened.
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
