/* rows_refused.c: calls that are answered with an error, in the recording too.
 *
 * Interfaces through which the kernel or another process would read and write memory behind the engine's back, so that
 * programs fall back to those that can be recorded; and numbers that no kernel serves any more. */
#include "input/row.h"

static const struct input_row rows[] = {
    /* Memory shared with the kernel, or completions at any time. */
    ROW_REFUSE_ALWAYS(rseq, ENOSYS),
    ROW_REFUSE_ALWAYS(io_uring_setup, ENOSYS),
    ROW_REFUSE_ALWAYS(io_uring_enter, ENOSYS),
    ROW_REFUSE_ALWAYS(io_uring_register, ENOSYS),
    ROW_REFUSE(io_setup, ENOSYS),
    ROW_REFUSE(io_destroy, ENOSYS),
    ROW_REFUSE(io_submit, ENOSYS),
    ROW_REFUSE(io_cancel, ENOSYS),
    ROW_REFUSE(io_getevents, ENOSYS),
    ROW_REFUSE(io_pgetevents, ENOSYS),
    ROW_REFUSE_ALWAYS(userfaultfd, ENOSYS),
    ROW_REFUSE(perf_event_open, ENOSYS),
    ROW_REFUSE(bpf, ENOSYS),
    ROW_REFUSE(memfd_secret, ENOSYS),
    ROW_REFUSE(map_shadow_stack, ENOSYS),
    ROW_REFUSE(process_madvise, ENOSYS),
    /* A tracer would see the engine instead of the program. As where tracing is forbidden; some requests are none the worse. */
    {"ptrace", __NR_ptrace, INPUT_REFUSE, EPERM, 0, {VALUE, VALUE, ADDRESS, POINTER}, walk_ptrace},
#if defined(__x86_64__)
    /* Ports are devices that no log can stand in for; segments would hide where memory is accessed. */
    ROW_REFUSE(iopl, EPERM),
    ROW_REFUSE(ioperm, EPERM),
    ROW_REFUSE(modify_ldt, ENOSYS),
#endif
    /* No longer in any kernel. */
    ROW_REFUSE(nfsservctl, ENOSYS),
#if defined(__x86_64__)
    ROW_REFUSE(uselib, ENOSYS),
    ROW_REFUSE(_sysctl, ENOSYS),
    ROW_REFUSE(create_module, ENOSYS),
    ROW_REFUSE(get_kernel_syms, ENOSYS),
    ROW_REFUSE(query_module, ENOSYS),
    ROW_REFUSE(getpmsg, ENOSYS),
    ROW_REFUSE(putpmsg, ENOSYS),
    ROW_REFUSE(afs_syscall, ENOSYS),
    ROW_REFUSE(tuxcall, ENOSYS),
    ROW_REFUSE(security, ENOSYS),
    ROW_REFUSE(set_thread_area, ENOSYS),
    ROW_REFUSE(get_thread_area, ENOSYS),
    ROW_REFUSE(epoll_ctl_old, ENOSYS),
    ROW_REFUSE(epoll_wait_old, ENOSYS),
    ROW_REFUSE(vserver, ENOSYS),
    /* For the kernel's own trampolines. */
    ROW_REFUSE(uretprobe, ENOSYS),
    ROW_REFUSE(uprobe, ENOSYS),
#endif
};

INPUT_GROUP(refused);
