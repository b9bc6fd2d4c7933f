#include "CMeasure.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

long measure_live_heap(void) {
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}

/// The value of a line of `/proc/self/status` that counts kilobytes, in bytes.
static long status_line(const char *name) {
  FILE *file = fopen("/proc/self/status", "re");
  if (!file) return -1;
  char line[256];
  long kilobytes = -1;
  size_t length = strlen(name);
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, name, length) == 0 && sscanf(line + length, " %ld", &kilobytes) == 1) break;
  }
  fclose(file);
  return kilobytes < 0 ? -1 : kilobytes * 1024;
}

long measure_peak_memory(void) { return status_line("VmHWM:"); }

long measure_resident_memory(void) { return status_line("VmRSS:"); }

int measure_entries(const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) return -1;
  int count = 0;
  struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (entry->d_name[0] != '.') count += 1;
  }
  closedir(directory);
  return count;
}
