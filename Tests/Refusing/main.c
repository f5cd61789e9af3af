// Runs a program whose system refuses it something:
//
//   locks    every file system knows only locks on whole files: what fcntl(2) is asked for locks fails with
//            EINVAL. The program has memory of its own in /dev/shm, where others' locks would mean nothing to it:
//            that takes root.
//   watches  the user's other programs have all instances of inotify(7): a further one fails with EMFILE.
//
// Usage: refusing locks|watches PROGRAM [ARGUMENT...]

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the numbers of this machine's system calls are not known here"
#endif

// The lower half of a value of 64 bits.
#define LOW(member) offsetof(struct seccomp_data, member)
#define REFUSE_COMMAND(command) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, command, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL)

#define LENGTH(rules) (sizeof(rules) / sizeof((rules)[0]))

// The program asks for this machine's own system calls; others are not looked at.
#define LOAD_CALL \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(arch)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(nr))

static int refuse(struct sock_filter *rules, unsigned short count) {
    struct sock_fprog program = {.len = count, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        return 0;
    perror("seccomp");
    return 70;
}

static int refuse_locks(void) {
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL) != 0) {
        perror("/dev/shm");
        return 69;
    }
    struct sock_filter rules[] = {
        LOAD_CALL,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(args[1])),
        REFUSE_COMMAND(5),   // F_GETLK
        REFUSE_COMMAND(6),   // F_SETLK
        REFUSE_COMMAND(7),   // F_SETLKW
        REFUSE_COMMAND(36),  // F_OFD_GETLK
        REFUSE_COMMAND(37),  // F_OFD_SETLK
        REFUSE_COMMAND(38),  // F_OFD_SETLKW
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return refuse(rules, LENGTH(rules));
}

static int refuse_watches(void) {
    struct sock_filter rules[] = {
        LOAD_CALL,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_inotify_init1, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EMFILE),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return refuse(rules, LENGTH(rules));
}

int main(int count, char *arguments[]) {
    const char *what = count < 3 ? "" : arguments[1];
    int status = strcmp(what, "locks") == 0 ? refuse_locks() : strcmp(what, "watches") == 0 ? refuse_watches() : 64;
    if (status == 64) fprintf(stderr, "usage: refusing locks|watches PROGRAM [ARGUMENT...]\n");
    if (status != 0) return status;
    execv(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 127;
}
