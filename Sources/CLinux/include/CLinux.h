#ifndef COFFER_CLINUX_H
#define COFFER_CLINUX_H

#include <stddef.h>
#include <stdint.h>

// Every function that can fail returns 0 or more, or a negative errno.
// None is interrupted by a signal but those that say so.

// Errors and descriptors (CLinux.c)

extern const int32_t coffer_enoent, coffer_eloop, coffer_eagain, coffer_epipe, coffer_econnreset, coffer_eexist, coffer_eisdir;
extern const int32_t coffer_enospc, coffer_edquot, coffer_eperm, coffer_eopnotsupp, coffer_emlink;
extern const int32_t coffer_einval, coffer_esrch, coffer_eintr, coffer_eacces, coffer_erofs, coffer_enolck, coffer_enosys;
extern const int32_t coffer_emfile, coffer_enfile, coffer_enomem, coffer_ebadf;
void coffer_error_text(int32_t number, char *text, size_t size);
void coffer_close(int32_t fd);
int32_t coffer_duplicate(int32_t fd);
ptrdiff_t coffer_read(int32_t fd, void *bytes, size_t count);
ptrdiff_t coffer_read_at(int32_t fd, void *bytes, size_t count, int64_t offset);
ptrdiff_t coffer_write_at(int32_t fd, const void *bytes, size_t count, int64_t offset);
ptrdiff_t coffer_write(int32_t fd, const void *bytes, size_t count);
ptrdiff_t coffer_write_at(int32_t fd, const void *bytes, size_t count, int64_t offset);
int32_t coffer_pipe(int32_t ends[2]);
// A pipe of about so many bytes whose writing end never waits; SIGPIPE is ignored from then on, unless it is handled.
int32_t coffer_trace_pipe(int32_t ends[2], int32_t bytes);
// Waits for POLLIN, or for POLLOUT; a negative time waits for ever. 1 ready, 0 timed out; may say EINTR.
int32_t coffer_wait_ready(int32_t fd, int32_t for_writing, int64_t nanoseconds);

// Sockets (Sockets.c)

typedef struct {
    const void *bytes;
    size_t count;
} coffer_part;

typedef struct {
    int32_t numbers[16];
    int32_t count;
    int32_t truncated;
} coffer_descriptors;

int32_t coffer_socket_pair(int32_t ends[2]);
ptrdiff_t coffer_send(
    int32_t fd, const coffer_part *parts, size_t part_count, const int32_t *descriptors, size_t descriptor_count);
ptrdiff_t coffer_send_two(
    int32_t fd, const void *first, size_t first_count, const void *second, size_t second_count,
    const int32_t *descriptors, size_t descriptor_count);
// Never waits. Fills `descriptors` with what rode on the bytes; `truncated`: some were dropped.
ptrdiff_t coffer_receive(int32_t fd, void *bytes, size_t count, coffer_descriptors *descriptors);
int32_t coffer_shut_down(int32_t fd);
int32_t coffer_notify(const char *address, size_t address_count, const char *text, size_t text_count);

// Events (Events.c)

enum { COFFER_EVENTS_MAXIMUM = 64 };

typedef struct {
    uint64_t token;
    uint32_t events;
} coffer_event;

extern const uint32_t coffer_epollin, coffer_epollpri, coffer_epollout, coffer_epollrdhup, coffer_epollhup, coffer_epollerr;
extern const uint32_t coffer_epolloneshot, coffer_epollet;
int32_t coffer_epoll_create(void);
int32_t coffer_epoll_add(int32_t epoll, int32_t fd, uint32_t events, uint64_t token);
int32_t coffer_epoll_modify(int32_t epoll, int32_t fd, uint32_t events, uint64_t token);
int32_t coffer_epoll_remove(int32_t epoll, int32_t fd);
// At most COFFER_EVENTS_MAXIMUM events; 0 where a signal came or the time passed.
int32_t coffer_epoll_wait(int32_t epoll, coffer_event *events, int32_t maximum, int32_t milliseconds);

int32_t coffer_event_create(void);
int32_t coffer_timer_create(void);
int32_t coffer_timer_arm(int32_t fd, int64_t nanoseconds);  // 0 disarms.
extern const int32_t coffer_sigterm, coffer_sigint, coffer_sighup, coffer_sigkill;
extern const int32_t coffer_sigstop, coffer_sigcont, coffer_sigchld;
int32_t coffer_signals_block(const int32_t *signals, size_t count);
int32_t coffer_signal_raise(int32_t signal);  // To this thread.
int32_t coffer_signals_create(const int32_t *signals, size_t count);
int32_t coffer_signals_read(int32_t fd);  // The signal's number, or 0 for none.

int32_t coffer_watch_create(void);
int32_t coffer_watch_add(int32_t fd, const char *path);  // A number of its own, told when a writer has closed the file, or its name has gone.
int32_t coffer_watch_add_names(int32_t fd, const char *path);  // As that, told when a whole file came to the folder, or one went.
int32_t coffer_watch_remove(int32_t fd, int32_t watch);
#define COFFER_WATCH_NAME 256  // Bytes of a name with its end; of what has none the first is 0.
int32_t coffer_watch_read(int32_t fd, int32_t *watches, char *names, int32_t maximum);  // How many were told, 0 for none.

// Threads (Threads.c)

int32_t coffer_thread_start(
    void (*body)(void *), void *context, const char *name, size_t stack_size, uint64_t *thread);
int32_t coffer_thread_join(uint64_t thread);
int32_t coffer_thread_detach(uint64_t thread);
void coffer_thread_name(char *name, size_t size);
int32_t coffer_thread_number(void);  // gettid; the first thread's is the process's.
int32_t coffer_io_priority(void);  // Of this thread, in the kernel's form.
int32_t coffer_set_io_priority(int32_t thread, int32_t priority);  // Of any of ours; 0: this one.
extern const int32_t coffer_io_priority_idle;

typedef struct coffer_condition coffer_condition;
coffer_condition *coffer_condition_create(void);
void coffer_condition_destroy(coffer_condition *condition);
void coffer_condition_lock(coffer_condition *condition);
void coffer_condition_unlock(coffer_condition *condition);
void coffer_condition_wait(coffer_condition *condition);
int32_t coffer_condition_wait_until(coffer_condition *condition, uint64_t monotonic_nanoseconds);
void coffer_condition_signal(coffer_condition *condition);
void coffer_condition_broadcast(coffer_condition *condition);

uint64_t coffer_monotonic_nanoseconds(void);
int64_t coffer_wall_nanoseconds(void);
void coffer_sleep(int64_t nanoseconds);
int32_t coffer_processor_count(void);

static inline void coffer_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Lets another thread that waits for this processor run first.
void coffer_yield(void);

// Files and memory (Files.c)

typedef struct {
    int64_t size;
    uint64_t device;
    uint64_t inode;
    uint64_t links;
    uint32_t mode;
    uint32_t owner;
    int64_t modified_nanoseconds;
    int64_t allocated;
} coffer_file_facts;

extern const int32_t coffer_o_wronly, coffer_o_rdwr, coffer_o_creat, coffer_o_excl, coffer_o_trunc;
extern const int32_t coffer_o_append, coffer_o_path, coffer_o_directory, coffer_o_nonblock, coffer_o_nofollow;
extern const uint32_t coffer_s_ifmt, coffer_s_ifreg, coffer_s_ifdir, coffer_s_iflnk;
int32_t coffer_open(const char *path, int32_t flags, uint32_t mode);
int32_t coffer_open_at(int32_t folder, const char *path, int32_t flags, uint32_t mode);
int32_t coffer_open_beneath(int32_t folder, const char *path, int32_t flags, uint32_t mode);
int32_t coffer_make_folder(int32_t folder, const char *name, uint32_t mode);
int32_t coffer_unlink(int32_t folder, const char *name, int32_t is_folder);
int32_t coffer_rename(
    int32_t from_folder, const char *from, int32_t to_folder, const char *to, int32_t replacing);
int32_t coffer_link(int32_t from_folder, const char *from, int32_t to_folder, const char *to);
int32_t coffer_open_unnamed(int32_t folder, uint32_t mode);
int32_t coffer_link_open_file(int32_t fd, int32_t folder, const char *name);
int32_t coffer_stat_at(int32_t folder, const char *name, coffer_file_facts *facts);
int32_t coffer_is_at(int32_t folder, const char *name, uint64_t device, uint64_t inode);  // 1 or 0; asks for no times.
int32_t coffer_stat(int32_t fd, coffer_file_facts *facts);
int32_t coffer_may_write(int32_t folder, const char *name);
int32_t coffer_sync(int32_t fd, int32_t data_only);
int32_t coffer_truncate(int32_t fd, int64_t size);
int32_t coffer_file_system_type(int32_t fd, int64_t *type);
int32_t coffer_probe_range_lock(int32_t fd);  // Takes a lock on a part of it, and gives it up; EAGAIN where another is in its way.
int32_t coffer_lock_open_file(int32_t fd);  // flock(2): EAGAIN while another has it; locks of fcntl(2) are another matter.
// Bytes that somebody without rights of root may still write to the file system.
int32_t coffer_file_system_room(int32_t fd, int64_t *bytes);
int32_t coffer_lock_exclusively(int32_t fd);  // Does not wait; EAGAIN while another holds it.
int32_t coffer_is_locked(int32_t fd);         // 1 while another holds it, else 0; of a file open for reading, too.
int32_t coffer_lock_waiting(int32_t fd);      // Waits for whoever holds it.
int32_t coffer_unlock(int32_t fd);

typedef struct coffer_listing coffer_listing;
int32_t coffer_listing_open(int32_t folder, coffer_listing **listing);
const char *coffer_listing_next(coffer_listing *listing, int32_t *error);
void coffer_listing_close(coffer_listing *listing);
ptrdiff_t coffer_read_link(const char *path, char *target, size_t size);

int32_t coffer_memfd_create(const char *name);
int32_t coffer_memfd_seal(int32_t fd);
int32_t coffer_memfd_is_sealed(int32_t fd);
int32_t coffer_memfd_fix_size(int32_t fd);
int32_t coffer_memfd_has_fixed_size(int32_t fd);
int32_t coffer_map_shared(int32_t fd, size_t size, void **bytes);
int32_t coffer_map(int32_t fd, size_t size, void **bytes);
void coffer_unmap(void *bytes, size_t size);

// Processes (Processes.c)

typedef struct {
    const char *path;
    char *const *arguments;
    char *const *environment;
    int32_t input, output, error;  // Numbers that the child gets as 0, 1 and 2.
} coffer_spawn_request;

int32_t coffer_pid(void);
uint32_t coffer_uid(void);
void coffer_keep_files_private(void);
void coffer_raise_descriptor_limit(void);  // As far as the system allows.
int64_t coffer_descriptor_limit(void);
void coffer_tune_allocator(int32_t map_threshold, int32_t trim_threshold);
void coffer_return_memory(void);
int64_t coffer_ticks_per_second(void);
const char *coffer_environment_entry(size_t index);
int32_t coffer_spawn(const coffer_spawn_request *request, int32_t *pid);
// 1 ended, and fills `code` or `signal`; 0 still runs and `wait` is 0.
int32_t coffer_reap(int32_t pid, int32_t wait, int32_t *code, int32_t *signal);
int32_t coffer_pidfd_open(int32_t pid);
int32_t coffer_kill(int32_t pid, int32_t signal);
int32_t coffer_random(void *bytes, size_t count);

#endif
