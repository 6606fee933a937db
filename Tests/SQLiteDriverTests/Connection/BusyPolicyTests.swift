import Foundation
import SQLiteDriver
import Synchronization
import TestSupport
import Testing

@Suite struct `A database locked by another connection` {
  private func withLockedFile(_ policy: BusyPolicy, _ body: (Connection, Connection) throws -> Void)
    throws
  {
    try withDatabaseFile(rows: 1) { holder, path in
      var options = Connection.Options()
      options.busyPolicy = policy
      let other = try Connection(.file(path), options: options)
      try holder.begin(.immediate)
      try body(holder, other)
    }
  }

  @Test func `The policy fail gives up at once with the remedy`() throws {
    try withLockedFile(.fail) { _, other in
      let error = try sqliteError(.busy) { try other.run("DELETE FROM t") }
      #expect(error.remedy.contains("busy timeout"))
      #expect(error.context.sql == "DELETE FROM t")
    }
  }

  @Test func `The policy wait retries for its duration`() throws {
    try withLockedFile(.wait(.milliseconds(50))) { _, other in
      let duration = try ContinuousClock().measure {
        try sqliteError(.busy) { try other.run("DELETE FROM t") }
      }
      #expect(duration >= .milliseconds(40))
    }
  }

  @Test func `The policy ask receives the attempts and can stop`() throws {
    let attempts = Mutex<[Int]>([])
    try withDatabaseFile(rows: 1) { holder, path in
      var options = Connection.Options()
      options.busyPolicy = .ask { attempt in
        attempts.withLock { $0.append(attempt) }
        return attempt < 2
      }
      let other = try Connection(.file(path), options: options)
      try holder.begin(.immediate)
      try sqliteError(.busy) { try other.run("DELETE FROM t") }
      #expect(attempts.withLock { $0 } == [0, 1, 2])
      try holder.rollback()
      try other.run("DELETE FROM t")
      #expect(try count(holder) == 0)
    }
  }

  @Test func `A policy can be replaced`() throws {
    try withLockedFile(.ask { _ in true }) { holder, other in
      try other.setBusyPolicy(.fail)
      try sqliteError(.busy) { try other.run("DELETE FROM t") }
      try other.setBusyPolicy(.wait(.seconds(1 << 40)))
      try holder.rollback()
      try other.run("DELETE FROM t")
    }
  }

  @Test func `A reader does not wait for a writer in write-ahead logging`() throws {
    try withLockedFile(.fail) { holder, other in
      try holder.run("DELETE FROM t")
      #expect(try count(other) == 1)
    }
  }
}
