import Foundation

/// A program that is installed in the same folder as the running program.
package struct SiblingProgram: Sendable {
  /// The server and the tools for models and stores.
  package static let parhelion = SiblingProgram("parhelion")
  /// The benchmarks, the simulator, and the demonstration.
  package static let laboratory = SiblingProgram("parhelion-lab")

  /// The file's name, which is that of the package's product.
  package let name: String

  private init(_ name: String) { self.name = name }

  /// Finds the program next to the running one, after resolving symbolic links.
  ///
  /// - Returns: The path of the program.
  /// - Throws: `CommandError`, which explains how to install the program, if it is missing.
  package func path() throws -> String {
    let running = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let folder = running.deletingLastPathComponent()
    let path = folder.appendingPathComponent(name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw CommandError(
        """
        The program \(name) is missing in \(folder.path). Build it from the sources of Parhelion with \
        “swift build -c release --product \(name)” and copy it into that folder.
        """)
    }
    return path
  }

  /// Replaces the calling program by this one, in the same process.
  ///
  /// The program inherits the standard streams, the signals, and the environment, and its status
  /// becomes that of the process.
  ///
  /// - Parameter arguments: The arguments without the program's name.
  /// - Throws: `CommandError` if the program is missing or cannot be started.
  func replaceProcess(arguments: [String]) throws -> Never {
    let path = try path()
    var pointers = unsafe ([path] + arguments).map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    unsafe execv(path, pointers)
    let reason = unsafe String(cString: strerror(errno))
    unsafe pointers.forEach { unsafe free($0) }
    throw CommandError("\(path) cannot be started: \(reason).")
  }
}
