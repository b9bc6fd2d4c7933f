// Tells the thread sanitizer of locks it cannot see: where a `Mutex` of Swift's is contended, it is taken and given back inside
// libswiftSynchronization, which is not instrumented. Without this every contended lock is reported as a race.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
  SWIFT void (*original)(uint32_t, SELF void *) = (SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, LOCK);
  original(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF void *mutex) {
  SWIFT void (*original)(SELF void *) = (SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, UNLOCK);
  __tsan_release(mutex);
  original(mutex);
}
#endif
#endif
