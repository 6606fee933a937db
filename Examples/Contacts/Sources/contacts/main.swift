// Contacts in the cloud: Apple's small samples of CloudKit as a program.
//
//   contacts                  runs all samples for two users, with a cloud in memory
//   contacts COMMAND …        runs one command, with the cloud that the environment or a file names
import Foundation

let words = Array(CommandLine.arguments.dropFirst())
if words.isEmpty {
  try await play()
} else {
  exit(await Program.run(words))
}
