// Runs a program for which every file system knows only locks on whole files: what fcntl(2) is asked for
// locks it refuses with EINVAL, as they do. The program has memory of its own in /dev/shm, where others' locks
// would mean nothing to it: that takes root.
//
// Usage: without-range-locks PROGRAM [ARGUMENT...]

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
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

int main(int count, char *arguments[]) {
    if (count < 2) {
        fprintf(stderr, "usage: without-range-locks PROGRAM [ARGUMENT...]\n");
        return 64;
    }
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL) != 0) {
        perror("/dev/shm");
        return 69;
    }
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(nr)),
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
    struct sock_fprog program = {.len = sizeof rules / sizeof rules[0], .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("seccomp");
        return 70;
    }
    execv(arguments[1], arguments + 1);
    perror(arguments[1]);
    return 127;
}
