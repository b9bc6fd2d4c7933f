#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CCurlShim.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

CURLcode netcurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

CURLcode netcurl_set_offset(CURL *easy, CURLoption option, int64_t value) {
  return curl_easy_setopt(easy, option, (curl_off_t)value);
}

CURLcode netcurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

CURLMcode netcurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

CURLcode netcurl_set_basics(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode result = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  if (result != CURLE_UNKNOWN_OPTION) return result;
  // Built with a newer libcurl than the one that runs.
#endif
  const CURLoption protocols = (CURLoption)(CURLOPTTYPE_LONG + 181);  // CURLOPT_PROTOCOLS, deprecated in 7.85
  return curl_easy_setopt(easy, protocols, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

CURLcode netcurl_set_callbacks(CURL *easy, netcurl_callbacks callbacks, void *context) {
  CURLcode result = curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callbacks.header);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callbacks.write);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_READFUNCTION, callbacks.read);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_READDATA, context);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callbacks.seek);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callbacks.before_request);
  if (result == CURLE_OK) result = curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
  return result;
}

netcurl_report netcurl_get_report(CURL *easy) {
  netcurl_report report = {
      .name_lookup = netcurl_get_offset(easy, CURLINFO_NAMELOOKUP_TIME_T),
      .connect = netcurl_get_offset(easy, CURLINFO_CONNECT_TIME_T),
      .tls = netcurl_get_offset(easy, CURLINFO_APPCONNECT_TIME_T),
      .first_byte = netcurl_get_offset(easy, CURLINFO_STARTTRANSFER_TIME_T),
      .total = netcurl_get_offset(easy, CURLINFO_TOTAL_TIME_T),
      .sent = netcurl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T),
      .received = netcurl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T),
      .connections_made = netcurl_get_long(easy, CURLINFO_NUM_CONNECTS),
      .http_version = netcurl_get_long(easy, CURLINFO_HTTP_VERSION),
      .port = netcurl_get_long(easy, CURLINFO_PRIMARY_PORT),
  };
  curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &report.address);
  return report;
}

void *netcurl_get_context(CURL *easy) {
  char *context = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context);
  return context;
}

long netcurl_get_long(CURL *easy, CURLINFO info) {
  long value = -1;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

int64_t netcurl_get_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = -1;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

CURL *netcurl_next_ended(CURLM *multi, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

typedef struct {
  void (*body)(void *);
  void *context;
} thread_start;

static void *run_thread(void *argument) {
  thread_start start = *(thread_start *)argument;
  free(argument);
#if defined(__linux__)
  pthread_setname_np(pthread_self(), "NetCurl");
#elif defined(__APPLE__)
  pthread_setname_np("NetCurl");
#endif
  start.body(start.context);
  return NULL;
}

int netcurl_start_thread(void (*body)(void *), void *context) {
  thread_start *start = malloc(sizeof(*start));
  if (!start) return -1;
  *start = (thread_start){body, context};

  // A new thread inherits the mask. OpenSSL may write to a closed socket: without the block, SIGPIPE would end the process.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, run_thread, start);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) free(start);
  return error;
}
