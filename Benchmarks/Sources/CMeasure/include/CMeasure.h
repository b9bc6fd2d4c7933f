#ifndef CMEASURE_H
#define CMEASURE_H

/// The bytes that malloc has handed out and not got back, in all arenas.
long measure_live_heap(void);

/// The most memory that was resident at a time since the program began, in bytes: `VmHWM` of `/proc/self/status`, which
/// unlike `ru_maxrss` knows nothing of the process that started this one.
long measure_peak_memory(void);

/// The memory that is resident now, in bytes.
long measure_resident_memory(void);

/// How many entries a folder has, such as `/proc/self/fd` or `/proc/self/task`; -1 when it cannot be read.
int measure_entries(const char *folder);

#endif
