/// The content types of usual files, by the extensions of their names.
enum FileContentType {
  static let unknown = "application/octet-stream"

  /// The content type of a file called `filename`; ``unknown`` when its extension tells nothing.
  static func guess(from filename: String?) -> String {
    guard let filename, let dot = filename.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
    return types[filename[filename.utf8.index(after: dot)...].lowercased()] ?? unknown
  }

  private static let types = [
    "avif": "image/avif", "bmp": "image/bmp", "gif": "image/gif", "heic": "image/heic", "heif": "image/heif",
    "ico": "image/vnd.microsoft.icon", "jpeg": "image/jpeg", "jpg": "image/jpeg", "png": "image/png",
    "svg": "image/svg+xml", "tif": "image/tiff", "tiff": "image/tiff", "webp": "image/webp",
    "aac": "audio/aac", "flac": "audio/flac", "m4a": "audio/mp4", "mp3": "audio/mpeg", "ogg": "audio/ogg",
    "opus": "audio/ogg", "wav": "audio/wav",
    "avi": "video/x-msvideo", "m4v": "video/mp4", "mkv": "video/matroska", "mov": "video/quicktime", "mp4": "video/mp4",
    "mpeg": "video/mpeg", "webm": "video/webm",
    "css": "text/css", "csv": "text/csv", "htm": "text/html", "html": "text/html", "ics": "text/calendar",
    "js": "text/javascript", "log": "text/plain", "md": "text/markdown", "txt": "text/plain", "vcf": "text/vcard",
    "xml": "application/xml", "yaml": "application/yaml", "yml": "application/yaml",
    "json": "application/json", "pdf": "application/pdf", "rtf": "application/rtf", "sqlite": "application/vnd.sqlite3",
    "wasm": "application/wasm",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "bz2": "application/x-bzip2", "gz": "application/gzip", "tar": "application/x-tar", "xz": "application/x-xz",
    "zip": "application/zip", "zst": "application/zstd",
    "otf": "font/otf", "ttf": "font/ttf", "woff": "font/woff", "woff2": "font/woff2",
  ]
}
