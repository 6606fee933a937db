import CloudEncryption
import Foundation
import TestSupport
import Testing

/// A folder of keys that is removed while a program runs.
@Suite struct `Stored keys` {
  @Test func `A running program restores removed keys`() async throws {
    try await withTemporaryDirectory { parent in
      let folder = parent.appendingPathComponent("keys").path
      let cloud = Cloud()
      let ada = try await cloud.device("_ada", keeping: FolderKeyStore(path: folder))
      _ = try await ada.engine.start()
      try await ada.makeZone()
      let sealed = try await ada.sendAndFetch(try await ada.seal("text"))
      try FileManager.default.removeItem(atPath: folder)
      try await ada.engine.forgetKeys(of: ada.zone())
      let again = try await cloud.device("_ada", keeping: FolderKeyStore(path: folder))
      #expect(await again.read(sealed) == "text")
    }
  }
}
