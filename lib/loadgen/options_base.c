/* SPDX-License-Identifier: MIT */
/* What every file of the command line uses: the names of phases, and refusals. */
#include "options.h"

#include <stdarg.h>
#include <string.h>

static const char *const phase_names[] = {"set", "get", "mixed", "populate", "replay"};

const char *options_phase_name(enum phase_kind kind)
{
    return phase_names[kind];
}

int options_phase_kind(const char *text, size_t n)
{
    int kind = PHASE_REPLAY;
    while (kind >= 0 && (strlen(phase_names[kind]) != n || strncmp(text, phase_names[kind], n) != 0)) kind--;
    return kind;
}

int options_refuse(char *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, OPTIONS_WHY, format, args);
    va_end(args);
    return -1;
}
