/* GLib's automatic cleanup, where GLib is included first. SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <glib.h>

#include <crypto/cipher.h>

size_t use(void);
size_t use(void)
{
    g_autoptr(QCryptoCipher) cipher = NULL;
    return sizeof(*cipher);
}
