#include <dbus/dbus.h>
#include <sys/eventfd.h>

/* A counter that poll() can wait for: eventfd() takes its flags from an enum that Swift does not see as int. */
static inline int coffer_dbus_event(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}
