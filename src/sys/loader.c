/* The dynamic loader, by weak references, which stable Rust cannot make: in a static program that does not use the
 * loader itself they are NULL and bring no part of it in, where a strong reference makes the linker warn. */

#include <dlfcn.h>

#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlerror

struct qcrypto_loader {
    void *(*open)(const char *, int);
    void *(*symbol)(void *, const char *);
    char *(*error)(void);
};

__attribute__((visibility("hidden"))) extern const struct qcrypto_loader qcrypto_loader;

const struct qcrypto_loader qcrypto_loader = { dlopen, dlsym, dlerror };
