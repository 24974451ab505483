/* SPDX-License-Identifier: MIT */
/* TLS by OpenSSL: see tls.h. */
#include "tls.h"

#include <stdio.h>

#ifndef LOADGEN_TLS

int tls_init(struct tls **tls, const struct options *o, char *why, size_t size)
{
    (void)o;
    *tls = NULL;
    snprintf(why, size, "this build has no TLS"); /* options_parse has refused --tls */
    return -1;
}

void tls_free(struct tls *tls)
{
    (void)tls;
}

void *tls_open(const struct tls *tls, int fd, const char *host)
{
    (void)tls;
    (void)fd;
    (void)host;
    return NULL;
}

int tls_ready(void *session, short *want)
{
    (void)session;
    *want = 0;
    return -1;
}

void tls_problem(const void *session, char *why, size_t size)
{
    (void)session;
    snprintf(why, size, "this build has no TLS");
}

void tls_close(void *session)
{
    (void)session;
}

ssize_t tls_read(void *session, void *to, size_t n)
{
    (void)session;
    (void)to;
    (void)n;
    return -1;
}

ssize_t tls_write(void *session, const void *from, size_t n)
{
    (void)session;
    (void)from;
    (void)n;
    return -1;
}

#else

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

struct tls {
    SSL_CTX *context;
    char host[256];   /* the certificate must name it: a name or an address */
    const char *name; /* to ask for, or NULL */
};

static int refuse(char *why, size_t size, const char *option, const char *file)
{
    const char *reason = ERR_reason_error_string(ERR_get_error());
    snprintf(why, size, "%s %s: %s", option, file, reason ? reason : "cannot be used");
    return -1;
}

static int load_files(SSL_CTX *c, const struct options *o, char *why, size_t size)
{
    if (o->tls_ca && SSL_CTX_load_verify_locations(c, o->tls_ca, NULL) != 1) return refuse(why, size, "--cacert", o->tls_ca);
    if (!o->tls_ca && SSL_CTX_set_default_verify_paths(c) != 1) return refuse(why, size, "--tls", "the system's certificates");
    if (o->tls_cert && SSL_CTX_use_certificate_chain_file(c, o->tls_cert) != 1) return refuse(why, size, "--cert", o->tls_cert);
    if (o->tls_key && SSL_CTX_use_PrivateKey_file(c, o->tls_key, SSL_FILETYPE_PEM) != 1) return refuse(why, size, "--key", o->tls_key);
    return 0;
}

int tls_init(struct tls **tls, const struct options *o, char *why, size_t size)
{
    struct tls *t = calloc(1, sizeof *t);
    const char *host = o->tls_name ? o->tls_name : o->host;
    size_t n = strlen(host);
    int bracketed = n > 2 && host[0] == '[' && host[n - 1] == ']';
    *tls = t;
    if (t) t->context = SSL_CTX_new(TLS_client_method());
    if (!t || !t->context) {
        snprintf(why, size, "TLS: out of memory");
        return -1;
    }
    t->name = o->tls_name;
    snprintf(t->host, sizeof t->host, "%.*s", (int)(n - (bracketed ? 2 : 0)), host + bracketed);
    SSL_CTX_set_min_proto_version(t->context, TLS1_2_VERSION);
    SSL_CTX_set_verify(t->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(t->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return load_files(t->context, o, why, size);
}

void tls_free(struct tls *tls)
{
    if (tls) SSL_CTX_free(tls->context);
    free(tls);
}

void *tls_open(const struct tls *tls, int fd, const char *host)
{
    if (tls->name || !*host) host = tls->host;
    SSL *s = SSL_new(tls->context);
    int bad = !s || SSL_set_fd(s, fd) != 1 || (tls->name && SSL_set_tlsext_host_name(s, tls->name) != 1);
    /* An address must be in the certificate as an address; a name as a name. */
    if (!bad && X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(s), host) != 1) bad = SSL_set1_host(s, host) != 1;
    ERR_clear_error();
    if (!bad) {
        SSL_set_connect_state(s);
        return s;
    }
    SSL_free(s);
    return NULL;
}

int tls_ready(void *session, short *want)
{
    ERR_clear_error();
    int rc = SSL_do_handshake(session);
    if (rc == 1) return 1;
    int error = SSL_get_error(session, rc);
    *want = error == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN;
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

void tls_problem(const void *session, char *why, size_t size)
{
    long verified = SSL_get_verify_result(session);
    const char *reason = ERR_reason_error_string(ERR_get_error());
    if (verified != X509_V_OK) reason = X509_verify_cert_error_string(verified);
    snprintf(why, size, "TLS: %s", reason ? reason : "the server ended the handshake");
}

void tls_close(void *session)
{
    if (!session) return;
    if (SSL_is_init_finished(session)) SSL_shutdown(session);
    ERR_clear_error();
    SSL_free(session);
}

/* The meaning of a call that moved no bytes: 0 to wait, -1 for the end. */
static ssize_t idle(SSL *s, int rc)
{
    int error = SSL_get_error(s, rc);
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

ssize_t tls_read(void *session, void *to, size_t n)
{
    ERR_clear_error();
    int rc = SSL_read(session, to, n > INT_MAX ? INT_MAX : (int)n);
    return rc > 0 ? rc : idle(session, rc);
}

ssize_t tls_write(void *session, const void *from, size_t n)
{
    size_t done = 0;
    while (done < n) { /* each call writes one record, at most 16 KiB */
        ERR_clear_error();
        const int rc = SSL_write(session, (const char *)from + done, n - done > INT_MAX ? INT_MAX : (int)(n - done));
        if (rc <= 0) return done ? (ssize_t)done : idle(session, rc);
        done += (size_t)rc;
    }
    return (ssize_t)done;
}

#endif
