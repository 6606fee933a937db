import Foundation

/// A second descriptor of a file that the process has open, as a process has that is being started.
public final class DescriptorCopy {
  private let number: CInt

  /// A copy of the descriptor of a file; nil where the file is not open.
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
