/* SPDX-License-Identifier: MIT */
/* Text from a server, made safe for a terminal and a table. */
#ifndef LOADGEN_PLAIN_H
#define LOADGEN_PLAIN_H

/** Replace every byte of text that is not printable ASCII with '?'. */
static inline void plain_text(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~') *text = '?';
}

#endif
