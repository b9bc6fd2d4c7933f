// What Swift cannot say to libcurl itself: the variadic functions, one for each kind of argument; options whose names
// depend on libcurl's version; and a detached thread.
#ifndef CCURLSHIM_H
#define CCURLSHIM_H

#include <curl/curl.h>
#include <stdint.h>

#if LIBCURL_VERSION_NUM < 0x075100
#error "libcurl 7.81 or later is needed"
#endif

// curl_easy_setopt, curl_multi_setopt.

CURLcode netcurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode netcurl_set_offset(CURL *easy, CURLoption option, int64_t value);
/// For texts, which libcurl copies, and for lists and bytes, which it does not.
CURLcode netcurl_set_pointer(CURL *easy, CURLoption option, const void *value);
CURLMcode netcurl_multi_set_long(CURLM *multi, CURLMoption option, long value);

/// Restricts the handle to http and https, and keeps it from waiting for a name lookup that nobody wants any more, where
/// libcurl has an option for that (7.87).
CURLcode netcurl_set_basics(CURL *easy);

/// The functions libcurl calls, all with the same context.
typedef struct {
  size_t (*header)(char *bytes, size_t size, size_t count, void *context);
  size_t (*write)(char *bytes, size_t size, size_t count, void *context);
  size_t (*read)(char *bytes, size_t size, size_t count, void *context);
  int (*seek)(void *context, curl_off_t offset, int origin);
  int (*before_request)(void *context, char *remote, char *local, int remote_port, int local_port);
} netcurl_callbacks;

CURLcode netcurl_set_callbacks(CURL *easy, netcurl_callbacks callbacks, void *context);

// curl_easy_getinfo.

/// Numbers are negative, and texts null, where libcurl knows nothing.
typedef struct {
  // Microseconds since the start.
  int64_t name_lookup, connect, tls, first_byte, total;
  // Bytes of content on the wire.
  int64_t sent, received;
  long connections_made;
  long http_version;
  // Valid until the handle's next transfer.
  const char *address;
  long port;
} netcurl_report;

netcurl_report netcurl_get_report(CURL *easy);
void *netcurl_get_context(CURL *easy);
long netcurl_get_long(CURL *easy, CURLINFO info);
int64_t netcurl_get_offset(CURL *easy, CURLINFO info);

/// The next transfer that ended, with its result; null when there is none.
CURL *netcurl_next_ended(CURLM *multi, CURLcode *result);

/// Runs `body` on a new detached thread on which all signals are blocked. Returns 0, or an error number.
int netcurl_start_thread(void (*body)(void *), void *context);

#endif
