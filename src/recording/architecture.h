/* architecture.h: the name of this machine's architecture in a manifest. */
#ifndef REPRISE_RECORDING_ARCHITECTURE_H
#define REPRISE_RECORDING_ARCHITECTURE_H

#if defined __x86_64__
#define ARCHITECTURE "x86-64"
#elif defined __aarch64__
#define ARCHITECTURE "aarch64"
#else
/* cppcheck-suppress preprocessorErrorDirective */
#error "reprise knows x86-64 and aarch64"
#endif

#endif
