/* architecture.h: the name of the programs' architecture in a manifest: this machine's, or that of the emulator of the tests. */
#ifndef REPRISE_RECORDING_ARCHITECTURE_H
#define REPRISE_RECORDING_ARCHITECTURE_H

#if !defined(__x86_64__) && !defined(__aarch64__)
/* cppcheck-suppress preprocessorErrorDirective */
#error "reprise knows x86-64 and aarch64"
#elif defined(__x86_64__) != defined(REPRISE_EMULATED)
#define ARCHITECTURE "x86-64"
#else
#define ARCHITECTURE "aarch64"
#endif

#endif
