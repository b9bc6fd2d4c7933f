// The fair baseline: a plain curl_multi loop on one thread, with easy handles used again.
//
// usage: bench-c MODE URL [--requests N] [--in-flight N] [--warm-up N] [--buffer BYTES] [--file PATH] [--ca-file PATH]
//   MODE: buffer (the body in memory), stream (counted), file
#include <CMeasure.h>
#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef enum { BUFFER, STREAM, TO_FILE } mode;

typedef struct {
  CURL *easy;
  double started;
  char *body;
  size_t size, capacity;
  int file;
} transfer;

static mode how;
static const char *file_path = "/dev/null";
static long long bytes_received;

static double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const char *what) {
  fprintf(stderr, "bench-c: %s\n", what);
  exit(64);
}

static void keep(transfer *transfer, const char *bytes, size_t count) {
  if (transfer->size + count > transfer->capacity) {
    curl_off_t announced = -1;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    size_t needed = transfer->size + count;
    transfer->capacity = announced > (curl_off_t)needed ? (size_t)announced : needed * 2;
    transfer->body = realloc(transfer->body, transfer->capacity);
    if (!transfer->body) fail("out of memory");
  }
  memcpy(transfer->body + transfer->size, bytes, count);
  transfer->size += count;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  transfer *transfer = context;
  count *= size;
  bytes_received += (long long)count;
  switch (how) {
    case BUFFER: keep(transfer, bytes, count); return count;
    case STREAM: return count;
    case TO_FILE: return write(transfer->file, bytes, count) == (ssize_t)count ? count : 0;
  }
  return 0;
}

static void begin(CURLM *multi, transfer *transfer) {
  if (how == TO_FILE) {
    transfer->file = open(file_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (transfer->file < 0) fail("the file cannot be written");
  }
  transfer->started = seconds_now();
  curl_multi_add_handle(multi, transfer->easy);
}

// The body is given back after each request, as a caller would that got it and dropped it.
static void end(transfer *transfer) {
  free(transfer->body);
  transfer->body = NULL;
  transfer->size = transfer->capacity = 0;
  if (how == TO_FILE) close(transfer->file);
}

// Runs `requests` requests, and notes how long each took.
static int run(CURLM *multi, transfer *transfers, int in_flight, int requests, double *latencies) {
  int begun = 0, ended = 0, failures = 0, running;
  for (; begun < in_flight && begun < requests; begun++) begin(multi, &transfers[begun]);
  while (ended < requests) {
    curl_multi_perform(multi, &running);
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
      if (message->msg != CURLMSG_DONE) continue;
      char *context;
      long status = 0;
      CURLcode result = message->data.result;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context);
      curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
      transfer *transfer = (void *)context;
      latencies[ended++] = seconds_now() - transfer->started;
      if (result != CURLE_OK || status != 200) failures++;
      curl_multi_remove_handle(multi, transfer->easy);
      end(transfer);
      if (begun < requests) {
        begin(multi, transfer);
        begun++;
      }
    }
    if (ended < requests) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return failures;
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  if (count < 3) fail("MODE and URL are missing");
  const char *url = arguments[2], *ca_file = NULL;
  int requests = 1, in_flight = 1, warm_up = 0;
  long buffer = 16384;
  if (!strcmp(arguments[1], "buffer")) how = BUFFER;
  else if (!strcmp(arguments[1], "stream")) how = STREAM;
  else if (!strcmp(arguments[1], "file")) how = TO_FILE;
  else fail("unknown mode");
  for (int index = 3; index + 1 < count; index += 2) {
    const char *name = arguments[index], *value = arguments[index + 1];
    if (!strcmp(name, "--requests")) requests = atoi(value);
    else if (!strcmp(name, "--in-flight")) in_flight = atoi(value);
    else if (!strcmp(name, "--warm-up")) warm_up = atoi(value);
    else if (!strcmp(name, "--buffer")) buffer = atol(value);
    else if (!strcmp(name, "--file")) file_path = value;
    else if (!strcmp(name, "--ca-file")) ca_file = value;
    else fail("unknown option");
  }

  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  transfer *transfers = calloc((size_t)in_flight, sizeof(transfer));
  for (int index = 0; index < in_flight; index++) {
    CURL *easy = transfers[index].easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, buffer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfers[index]);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfers[index]);
    if (ca_file) curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
  }

  double *latencies = calloc((size_t)(requests > warm_up ? requests : warm_up), sizeof(double));
  run(multi, transfers, in_flight, warm_up, latencies);
  bytes_received = 0;
  double started = seconds_now();
  int failures = run(multi, transfers, in_flight, requests, latencies);
  double seconds = seconds_now() - started;
  qsort(latencies, (size_t)requests, sizeof(double), compare);
  printf(
      "{\"requests\": %d, \"failures\": %d, \"seconds\": %.6f, \"bytes\": %lld, \"p50\": %.1f, \"p99\": %.1f, "
      "\"peak\": %ld}\n",
      requests, failures, seconds, bytes_received, latencies[requests / 2] * 1e6,
      latencies[(long)requests * 99 / 100] * 1e6, measure_peak_memory());

  for (int index = 0; index < in_flight; index++) curl_easy_cleanup(transfers[index].easy);
  curl_multi_cleanup(multi);
  curl_global_cleanup();
  free(latencies);
  free(transfers);
  return failures ? 1 : 0;
}
