// Nothing is called by name: the library is loaded in front of the C library (LD_PRELOAD) and counts allocations.
