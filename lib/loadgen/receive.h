/* SPDX-License-Identifier: MIT */
/* What arrives on a connection under load: replies are read, checked and accounted for, and the source of the phase may then send. */
#ifndef LOADGEN_RECEIVE_H
#define LOADGEN_RECEIVE_H

#include "worker.h"

/** Handle the epoll events of c. */
void receive_event(struct worker *w, struct conn *c, uint32_t events);

#endif
