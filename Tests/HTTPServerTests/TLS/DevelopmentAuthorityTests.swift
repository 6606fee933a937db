import Foundation
import HTTPServer
import TestSupport
import Testing

@Suite("Development authority")
struct DevelopmentAuthorityTests {
  @Test
  func `An existing certificate is reused`() throws {
    try withTemporaryDirectory { folder in
      let first = try contents(of: folder, hosts: ["example.test"])
      #expect(
        first.keys.sorted() == ["authority.key", "authority.pem", "server.key", "server.pem"])
      #expect(try contents(of: folder, hosts: ["example.test"]) == first)
      #expect(try contents(of: folder, hosts: []) == first)
    }
  }

  @Test
  func `Only the owner can read its files`() throws {
    try withTemporaryDirectory { parent in
      let folder = parent.appendingPathComponent("new")
      let files = try contents(of: folder, hosts: [])
      #expect(try permissions(of: folder) == 0o700)
      for name in files.keys {
        #expect(try permissions(of: folder.appendingPathComponent(name)) == 0o600)
      }
    }
  }

  @Test
  func `Other hosts need another certificate of the same authority`() throws {
    try withTemporaryDirectory { folder in
      let first = try contents(of: folder, hosts: [])
      let second = try contents(of: folder, hosts: ["example.test", "10.0.0.1"])
      #expect(second["authority.pem"] == first["authority.pem"])
      #expect(second["server.pem"] != first["server.pem"])
    }
  }

  @Test
  func `A certificate that is about to expire is replaced`() throws {
    try withTemporaryDirectory { folder in
      let short = DevelopmentAuthority(folder: folder.path, serverDays: 29)
      _ = try short.files(hosts: [])
      let first = try contents(of: folder)
      let second = try contents(of: folder, hosts: [])
      #expect(second["authority.pem"] == first["authority.pem"])
      #expect(second["server.pem"] != first["server.pem"])
      #expect(try contents(of: folder, hosts: []) == second)
    }
  }

  @Test(
    arguments: ["authority.key", "authority.pem", "server.key", "server.pem"], ["", "damaged"])
  func `Missing or damaged files are replaced`(name: String, text: String) throws {
    try withTemporaryDirectory { folder in
      let first = try contents(of: folder, hosts: [])
      let file = folder.appendingPathComponent(name)
      if text.isEmpty {
        try FileManager.default.removeItem(at: file)
      } else {
        try Data(text.utf8).write(to: file)
      }
      let second = try contents(of: folder, hosts: [])
      #expect((second["authority.pem"] == first["authority.pem"]) == name.hasPrefix("server"))
      #expect(second["server.pem"] != first["server.pem"])
      #expect(try contents(of: folder, hosts: []) == second)
    }
  }

  @Test(arguments: ["a,DNS:evil.test", "", "a b", "a\n", "é"])
  func `An invalid host is rejected`(host: String) throws {
    try withTemporaryDirectory { folder in
      let error = #expect(throws: HTTPServerError.self) {
        try DevelopmentAuthority(folder: folder.path).files(hosts: [host])
      }
      #expect(error?.code == .certificate)
    }
  }

  private func contents(of folder: URL, hosts: [String]) throws -> [String: Data] {
    _ = try DevelopmentAuthority(folder: folder.path).files(hosts: hosts)
    return try contents(of: folder)
  }

  private func contents(of folder: URL) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      contents[name] = try Data(contentsOf: folder.appendingPathComponent(name))
    }
    return contents
  }

  private func permissions(of url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }
}
