/* A disk that syncs more slowly: every sync takes SYNC_US microseconds longer. Preloaded by `make bench-slow-disk`, for
   the coordinator as for what is measured beside it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int slowly(long call, int file) {
  int result = syscall(call, file);
  const char *text = getenv("SYNC_US");
  long microseconds = text ? atol(text) : 0;
  struct timespec pause = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&pause, NULL);
  return result;
}

int fsync(int file) { return slowly(SYS_fsync, file); }
int fdatasync(int file) { return slowly(SYS_fdatasync, file); }
