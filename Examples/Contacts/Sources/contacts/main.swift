// Contacts in the cloud: Apple's small samples of CloudKit as a program.
//
//   contacts                  plays two people and their devices, with a cloud of its own
//   contacts COMMAND …        does one thing, with the cloud that the environment or a file names
import Foundation

let words = Array(CommandLine.arguments.dropFirst())
if words.isEmpty {
  try await play()
} else {
  exit(await Program.run(words))
}
