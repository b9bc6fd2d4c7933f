import NetCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Downloads a file, with a bar on a terminal.
func downloadFile(_ url: URL, _ settings: Settings, _ recorder: CallRecorder?) async throws -> DownloadedFile {
  var request = Endpoint<Void>(url: url)
  request.timeout = settings.timeout
  var options = DownloadOptions()
  options.sha256 = settings.sha256
  let target = URL(filePath: settings.output ?? ".")
  return try await transferClient(settings, url: url, recorder: recorder).download(
    request, to: target, options: options, progress: ProgressBar.forTerminal())
}

/// Puts a file at a URL, with a bar on a terminal.
///
/// - Returns: The server's answer.
func uploadFile(
  _ path: String, to url: URL, _ settings: Settings, _ recorder: CallRecorder?
) async throws -> String {
  let body: HTTPBody
  do {
    body = try HTTPBody(file: URL(filePath: path))
  } catch let error as APIError {
    throw Failure.usage(error.reason)
  }
  var request = Endpoint<String>(
    .put, url: url, body: .stream(body, contentType: "application/octet-stream"))
  request.timeout = settings.timeout
  return try await transferClient(settings, url: url, recorder: recorder).upload(
    request, progress: ProgressBar.forTerminal())
}
