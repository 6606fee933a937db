import Foundation

/// A duplicate of an open file's descriptor, such as a child process inherits.
public final class DescriptorCopy {
  private let number: CInt

  /// Duplicates the descriptor of a file; nil if the file is not open.
  public init?(of path: String) {
    let wanted = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let found = open.compactMap { CInt($0) }.first { number in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))
        == wanted
    }
    guard let found else { return nil }
    number = dup(found)
  }

  deinit { close(number) }
}
