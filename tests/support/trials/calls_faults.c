/* Loaded before the C library (LD_PRELOAD): at the n-th call that reaches a watched file, something goes wrong.
 *
 * Until faults_arm is called in a process, every call goes through. The calls are counted from 1, over all threads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* What happens at the call. FULL: it and all later ones that take room on the disk fail. */
enum { NOTHING, SIGNAL_BEFORE, SIGNAL_AFTER, FAIL, FULL, HALF };
/* What kind of call it is: only TAKES fail on a full disk. */
enum { PLAIN, TAKES };

static char watched[PATH_MAX], ignored[256];
static atomic_long count;
static long armed_at;
static int armed_kind, armed_value, no_exchange, log_to = -1;
static atomic_int fired;

void faults_arm(const char *folder, const char *leave_out, long at, int kind, int value, int exchange_fails, int log) {
    snprintf(watched, sizeof watched, "%s", folder);
    snprintf(ignored, sizeof ignored, "%s", leave_out);
    armed_at = at;
    armed_kind = kind;
    armed_value = value;
    no_exchange = exchange_fails;
    log_to = log;
    fired = 0;
    count = 0;
}

static int below(const char *path) {
    size_t length = strlen(watched);
    if (!length || strncmp(path, watched, length)) return 0;
    if (path[length] != '/' && path[length]) return 0;
    /* The configuration is read before anything is changed. */
    return !(*ignored && strstr(path + length, ignored)) && strcmp(path + length, "/job.json");
}

static void of_descriptor(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = descriptor < 0 ? -1 : readlink(link, path, PATH_MAX - 1);
    path[size < 0 ? 0 : size] = 0;
}

static void resolved(int folder, const char *name, char *path) {
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
        return;
    }
    char above[PATH_MAX] = "";
    if (folder != AT_FDCWD) of_descriptor(folder, above);
    else if (syscall(SYS_getcwd, above, sizeof above) < 0) above[0] = 0;
    size_t length = strlen(above);
    snprintf(path, PATH_MAX, "%s", above);
    snprintf(path + length, PATH_MAX - length, "/%s", name);
}

static void note(const char *name, const char *path, long number, long size) {
    char line[PATH_MAX + 128];
    int length = snprintf(line, sizeof line, "%ld\t%s\t%ld\t%s\n", number, name, size, path);
    if (log_to >= 0 && (size_t)length < sizeof line) syscall(SYS_write, log_to, line, (size_t)length);
}

/* Counts a call; what is to happen at it. With `armed_at` 0 all are noted, else the one that it falls upon. */
static int reached(const char *name, const char *path, int kind, long size) {
    if (!watched[0] || !below(path)) return NOTHING;
    int before = errno;
    long number = ++count;
    int what = NOTHING;
    if (number == armed_at) {
        what = armed_kind;
        fired = 1;
    } else if (armed_kind == FULL && fired && kind == TAKES) {
        what = FAIL;
    }
    if (number == armed_at || !armed_at) note(name, path, number, size);
    if (what == SIGNAL_BEFORE) syscall(SYS_kill, getpid(), armed_value);
    errno = before;
    return what;
}

static void after(int what) {
    int before = errno;
    if (what == SIGNAL_AFTER) syscall(SYS_kill, getpid(), armed_value);
    errno = before;
}

#define FAILS(what) ((what) == FAIL || (what) == FULL)

#define THROUGH(type, name, parameters, given, where, kind, size)                                                      \
    type name parameters {                                                                                             \
        static type(*real) parameters;                                                                                 \
        if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                                 \
        if (!watched[0]) return real given;                                                                            \
        char path[PATH_MAX];                                                                                           \
        where;                                                                                                         \
        int what = reached(#name, path, kind, size);                                                                   \
        if (FAILS(what)) {                                                                                             \
            errno = armed_value;                                                                                       \
            return -1;                                                                                                 \
        }                                                                                                              \
        type result = real given;                                                                                      \
        after(what);                                                                                                   \
        return result;                                                                                                 \
    }

#define ON(descriptor) of_descriptor(descriptor, path)
#define AT(folder, name) resolved(folder, name, path)

#define OPENING(name, parameters, given)                                                                               \
    int name parameters {                                                                                              \
        static int(*real)(int, const char *, int, mode_t);                                                             \
        if (!real) real = (int (*)(int, const char *, int, mode_t))dlsym(RTLD_NEXT, "openat");                         \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                           \
            va_list more;                                                                                              \
            va_start(more, flags);                                                                                     \
            mode = va_arg(more, mode_t);                                                                               \
            va_end(more);                                                                                              \
        }                                                                                                              \
        if (!watched[0]) return real given;                                                                            \
        char at[PATH_MAX];                                                                                             \
        resolved(folder_of, path, at);                                                                                 \
        const char *said = flags & O_CREAT ? "open(create)" : (flags & O_ACCMODE) == O_RDONLY ? "open(read)" : "open"; \
        int what = reached(said, at, flags & O_CREAT ? TAKES : PLAIN, 0);                                              \
        if (FAILS(what)) {                                                                                             \
            errno = armed_value;                                                                                       \
            return -1;                                                                                                 \
        }                                                                                                              \
        int result = real given;                                                                                       \
        after(what);                                                                                                   \
        return result;                                                                                                 \
    }

#define folder_of AT_FDCWD
OPENING(open, (const char *path, int flags, ...), (AT_FDCWD, path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), (AT_FDCWD, path, flags, mode))
#undef folder_of
#define folder_of folder
OPENING(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPENING(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
#undef folder_of

/* Half of what is given is written, as on a disk that fills or a pipe; a caller that goes on writes the rest. */
#define WRITING(name, parameters, given, descriptor, size)                                                             \
    ssize_t name parameters {                                                                                          \
        static ssize_t(*real) parameters;                                                                              \
        if (!real) real = (ssize_t(*) parameters)dlsym(RTLD_NEXT, #name);                                              \
        if (!watched[0]) return real given;                                                                            \
        char path[PATH_MAX];                                                                                           \
        of_descriptor(descriptor, path);                                                                               \
        int what = reached(#name, path, TAKES, (long)size);                                                            \
        if (FAILS(what)) {                                                                                             \
            errno = armed_value;                                                                                       \
            return -1;                                                                                                 \
        }                                                                                                              \
        if (what == HALF && size > 1) size /= 2;                                                                       \
        ssize_t result = real given;                                                                                   \
        after(what);                                                                                                   \
        return result;                                                                                                 \
    }

WRITING(write, (int file, const void *bytes, size_t size), (file, bytes, size), file, size)
WRITING(pwrite, (int file, const void *bytes, size_t size, off_t to), (file, bytes, size, to), file, size)
WRITING(pwrite64, (int file, const void *bytes, size_t size, off64_t to), (file, bytes, size, to), file, size)
WRITING(writev, (int file, const struct iovec *parts, int size), (file, parts, size), file, size)

/* What is read may be short as well; nothing of that is counted as taking room. */
#define READING(name, parameters, given)                                                                               \
    ssize_t name parameters {                                                                                          \
        static ssize_t(*real) parameters;                                                                              \
        if (!real) real = (ssize_t(*) parameters)dlsym(RTLD_NEXT, #name);                                              \
        if (!watched[0]) return real given;                                                                            \
        char path[PATH_MAX];                                                                                           \
        of_descriptor(file, path);                                                                                     \
        int what = reached(#name, path, PLAIN, (long)size);                                                            \
        if (FAILS(what)) {                                                                                             \
            errno = armed_value;                                                                                       \
            return -1;                                                                                                 \
        }                                                                                                              \
        if (what == HALF && size > 1) size /= 2;                                                                       \
        ssize_t result = real given;                                                                                   \
        after(what);                                                                                                   \
        return result;                                                                                                 \
    }

READING(read, (int file, void *bytes, size_t size), (file, bytes, size))
READING(pread, (int file, void *bytes, size_t size, off_t from), (file, bytes, size, from))
READING(pread64, (int file, void *bytes, size_t size, off64_t from), (file, bytes, size, from))

THROUGH(int, fsync, (int file), (file), ON(file), TAKES, 0)
THROUGH(int, fdatasync, (int file), (file), ON(file), TAKES, 0)
THROUGH(int, ftruncate, (int file, off_t size), (file, size), ON(file), TAKES, (long)size)
THROUGH(int, ftruncate64, (int file, off64_t size), (file, size), ON(file), TAKES, (long)size)
THROUGH(int, fallocate, (int file, int mode, off_t from, off_t size), (file, mode, from, size), ON(file), TAKES, 0)
THROUGH(int, flock, (int file, int how), (file, how), ON(file), PLAIN, 0)
THROUGH(int, rename, (const char *one, const char *other), (one, other), AT(AT_FDCWD, other), TAKES, 0)
THROUGH(int, renameat, (int a, const char *one, int b, const char *other), (a, one, b, other), AT(b, other), TAKES, 0)
THROUGH(int, link, (const char *one, const char *other), (one, other), AT(AT_FDCWD, other), TAKES, 0)
THROUGH(int, linkat, (int a, const char *one, int b, const char *other, int how), (a, one, b, other, how), AT(b, other),
        TAKES, 0)
THROUGH(int, unlink, (const char *name), (name), AT(AT_FDCWD, name), PLAIN, 0)
THROUGH(int, unlinkat, (int folder, const char *name, int how), (folder, name, how), AT(folder, name), PLAIN, 0)
THROUGH(int, remove, (const char *name), (name), AT(AT_FDCWD, name), PLAIN, 0)
THROUGH(int, rmdir, (const char *name), (name), AT(AT_FDCWD, name), PLAIN, 0)
THROUGH(int, mkdir, (const char *name, mode_t mode), (name, mode), AT(AT_FDCWD, name), TAKES, 0)
THROUGH(int, mkdirat, (int folder, const char *name, mode_t mode), (folder, name, mode), AT(folder, name), TAKES, 0)
THROUGH(int, chmod, (const char *name, mode_t mode), (name, mode), AT(AT_FDCWD, name), PLAIN, 0)
THROUGH(int, fchmod, (int file, mode_t mode), (file, mode), ON(file), PLAIN, 0)
THROUGH(int, fchmodat, (int folder, const char *name, mode_t mode, int how), (folder, name, mode, how),
        AT(folder, name), PLAIN, 0)
THROUGH(int, fchown, (int file, uid_t owner, gid_t group), (file, owner, group), ON(file), PLAIN, 0)

/* A file is closed also where close fails. */
int close(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "close");
    if (!watched[0]) return real(file);
    char path[PATH_MAX];
    of_descriptor(file, path);
    int what = reached("close", path, PLAIN, 0);
    int result = real(file);
    if (FAILS(what)) {
        errno = armed_value;
        return -1;
    }
    after(what);
    return result;
}

/* Where the exchange is told to fail, it and the move that never replaces always do, as on older systems. */
int renameat2(int a, const char *one, int b, const char *other, unsigned int how) {
    static int (*real)(int, const char *, int, const char *, unsigned int);
    if (!real) real = (int (*)(int, const char *, int, const char *, unsigned int))dlsym(RTLD_NEXT, "renameat2");
    if (!watched[0]) return real(a, one, b, other, how);
    char path[PATH_MAX];
    resolved(b, other, path);
    int what = reached("renameat2", path, TAKES, 0);
    if (FAILS(what) || (no_exchange && below(path))) {
        errno = FAILS(what) ? armed_value : no_exchange;
        after(what);
        return -1;
    }
    int result = real(a, one, b, other, how);
    after(what);
    return result;
}

/* fcntl locks whole files; all else of it changes nothing on the disk. */
static int locking(int file, int command, void *argument) {
    static int (*real)(int, int, ...);
    if (!real) real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
    if (!watched[0] || (command != F_SETLK && command != F_SETLKW)) return real(file, command, argument);
    char path[PATH_MAX];
    of_descriptor(file, path);
    int what = reached("fcntl(lock)", path, PLAIN, 0);
    if (FAILS(what)) {
        errno = armed_value;
        return -1;
    }
    int result = real(file, command, argument);
    after(what);
    return result;
}

#define LOCKING(name)                                                                                                  \
    int name(int file, int command, ...) {                                                                             \
        va_list more;                                                                                                  \
        va_start(more, command);                                                                                       \
        void *argument = va_arg(more, void *);                                                                         \
        va_end(more);                                                                                                  \
        return locking(file, command, argument);                                                                       \
    }

LOCKING(fcntl)
LOCKING(fcntl64)
