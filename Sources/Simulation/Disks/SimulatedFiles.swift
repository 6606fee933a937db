import Foundation
import ObjectRows

/// The files of a device: those of the machine, of which nobody waits until a disk has them.
struct SimulatedFiles: FileSystem {
  private let files = LocalFiles()

  var databaseLayer: String? { SimulatedDisks.layer }

  func dataHome() -> URL { files.dataHome() }
  func temporaryFolder() -> URL { files.temporaryFolder() }
  func kind(of url: URL) -> FileKind? { files.kind(of: url) }
  func isWritable(_ url: URL) -> Bool { files.isWritable(url) }
  func contents(of url: URL) throws -> Data { try files.contents(of: url) }
  func beginning(of url: URL, bytes: Int) throws -> Data { try files.beginning(of: url, bytes: bytes) }
  func write(_ data: Data, to url: URL) throws { try files.write(data, to: url) }
  func synchronize(_ url: URL) throws {}
  func createDirectory(at url: URL) throws { try files.createDirectory(at: url) }
  func moveItem(at url: URL, to destination: URL) throws { try files.moveItem(at: url, to: destination) }
  func copyItem(at url: URL, to destination: URL) throws { try files.copyItem(at: url, to: destination) }
  func removeItem(at url: URL) throws { try files.removeItem(at: url) }
}
