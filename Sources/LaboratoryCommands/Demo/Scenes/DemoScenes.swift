/// The sizes of the scenes.
package struct DemoSizes: Equatable, Sendable {
  /// The number of notes that each device creates first; at least 4, which later steps name.
  package var notes = 24
  /// The number of changes whose latency is measured.
  package var changes = 30
  /// The size of the large value, in bytes.
  package var largeBytes = 4_000_000
  /// The number of notes that each device creates in the scene that kills the server; at least 8,
  /// because the kill follows an eighth of them.
  package var stream = 60

  package init() {}

  /// Small sizes for tests, with a value that is too long to be inline in a record.
  package static var small: DemoSizes {
    var sizes = DemoSizes()
    (sizes.notes, sizes.changes, sizes.largeBytes, sizes.stream) = (8, 5, 1_000_000, 16)
    return sizes
  }
}

/// The scenes, in order.
package enum DemoScenes {
  package static func all(_ sizes: DemoSizes) -> [DemoScene] {
    [
      addingAndDeleting(sizes), offlineEdits(sizes), latency(sizes), largeValue(sizes),
      lostStore(sizes),
      killedServer(sizes),
    ]
  }

  private static func titles(_ name: String, _ count: Int) -> [String] {
    (1...count).map { "\(name) \($0)" }
  }

  /// The number of notes after the first scene.
  private static func remaining(_ sizes: DemoSizes) -> Int { 2 * sizes.notes - 4 }

  private static func addingAndDeleting(_ sizes: DemoSizes) -> DemoScene {
    DemoScene(
      "Both devices add and delete notes until they agree",
      [
        .begin(.desk, .add(folder: "Journeys", titles: titles("Journey", sizes.notes))),
        .begin(.phone, .add(folder: "Shopping", titles: titles("Errand", sizes.notes))),
        .waitForAll, .agree,
        .begin(.desk, .delete(titles: ["Journey 1", "Errand 2"])),
        .begin(.phone, .delete(titles: ["Errand 1", "Journey 2"])),
        .waitForAll, .agree,
        .expect(.noteCount(remaining(sizes))),
      ])
  }

  private static func offlineEdits(_ sizes: DemoSizes) -> DemoScene {
    DemoScene(
      "Offline, they edit different fields of one note: both survive",
      [
        .tell(.desk, .pause), .tell(.phone, .pause),
        .tell(.desk, .rename(title: "Journey 3", to: "Rome")),
        .tell(.phone, .write(title: "Journey 3", text: "by train")),
        .tell(.desk, .resume), .tell(.phone, .resume),
        .agree,
        .expect(.text("by train", of: "Rome")), .expect(.noteCount(remaining(sizes))),
      ])
  }

  private static func latency(_ sizes: DemoSizes) -> DemoScene {
    DemoScene(
      "One change at a time: from the save on the desk until the phone shows it",
      [
        .measure(title: "Journey 4", changes: sizes.changes), .agree,
        .expect(.noteCount(remaining(sizes))),
      ])
  }

  private static func largeValue(_ sizes: DemoSizes) -> DemoScene {
    DemoScene(
      "A value of \(sizes.largeBytes) bytes becomes a file of the server, and shrinks back",
      [
        .tell(.desk, .attach(title: "Rome", bytes: sizes.largeBytes)),
        .agree,
        .expect(.attachment(of: "Rome", bytes: sizes.largeBytes, isFile: true)),
        .tell(.phone, .attach(title: "Rome", bytes: 1_000)),
        .agree,
        .expect(.attachment(of: "Rome", bytes: 1_000, isFile: false)),
        .tell(.phone, .attach(title: "Rome", bytes: sizes.largeBytes)),
        .agree,
        .expect(.attachment(of: "Rome", bytes: sizes.largeBytes, isFile: true)),
      ])
  }

  private static func lostStore(_ sizes: DemoSizes) -> DemoScene {
    DemoScene(
      "The phone loses its store, and fetches everything again",
      [
        .tell(.phone, .lose), .agree,
        .expect(.noteCount(remaining(sizes))),
        .expect(.attachment(of: "Rome", bytes: sizes.largeBytes, isFile: true)),
      ])
  }

  private static func killedServer(_ sizes: DemoSizes) -> DemoScene {
    DemoScene(
      "The server is killed while both push, and restarts",
      [
        .begin(.desk, .addOneByOne(folder: "Desk's", titles: titles("Desk's note", sizes.stream))),
        .begin(
          .phone, .addOneByOne(folder: "Phone's", titles: titles("Phone's note", sizes.stream))),
        .waitFor(.phone, folder: "Desk's", count: sizes.stream / 8),
        .killServer, .waitForAll, .startServer, .agree,
        .expect(.noteCount(remaining(sizes) + 2 * sizes.stream)),
      ])
  }
}
