// The fair baseline for a disk store: the same row of the same file, by a prepared statement and nothing else.
//
// usage: bench-sqlite FILE --requests N --entries N [--warm-up N]
#include <CMeasure.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const sql =
    "SELECT id, variant, used, status, requested, received, length, fields, body"
    " FROM responses WHERE url = ? AND partition = ?";

static double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static long long bytes_read, failures;

/// Reads a row and copies its fields and its body.
static void read_row(sqlite3_stmt *statement, long long number) {
  char url[100];
  int length = snprintf(url, sizeof url, "https://example.com/v1/entries/%lld", number);
  sqlite3_bind_text(statement, 1, url, length, SQLITE_STATIC);
  sqlite3_bind_text(statement, 2, "", 0, SQLITE_STATIC);
  if (sqlite3_step(statement) == SQLITE_ROW) {
    for (int column = 7; column <= 8; column++) {
      const void *bytes = sqlite3_column_blob(statement, column);
      size_t size = (size_t)sqlite3_column_bytes(statement, column);
      char *copy = malloc(size);
      memcpy(copy, bytes, size);
      if (column == 8) bytes_read += (long long)size + (copy[0] == copy[size - 1] ? 0 : 1);
      free(copy);
    }
  } else {
    failures += 1;
  }
  sqlite3_reset(statement);
}

int main(int count, char **words) {
  long long requests = 1, entries = 1, warm_up = 0;
  for (int index = 2; index + 1 < count; index += 2) {
    long long value = atoll(words[index + 1]);
    if (!strcmp(words[index], "--requests")) requests = value;
    if (!strcmp(words[index], "--entries")) entries = value;
    if (!strcmp(words[index], "--warm-up")) warm_up = value;
  }
  sqlite3 *database;
  sqlite3_stmt *statement;
  if (count < 2 || sqlite3_open_v2(words[1], &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ||
      sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL)) {
    fprintf(stderr, "bench-sqlite: the database cannot be read\n");
    return 64;
  }
  for (long long number = 1; number <= warm_up; number++) read_row(statement, number * 7919 % entries);
  bytes_read = 0;
  double started = seconds_now();
  for (long long number = 1; number <= requests; number++) read_row(statement, (warm_up + number) * 7919 % entries);
  double seconds = seconds_now() - started;
  printf("{\"requests\": %lld, \"failures\": %lld, \"seconds\": %.9f, \"bytes\": %lld, \"peak\": %ld}\n", requests,
         failures, seconds, bytes_read, measure_peak_memory());
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return 0;
}
