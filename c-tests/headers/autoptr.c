/* GLib's automatic cleanup, where GLib is included first. SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <glib.h>

#include <crypto/cipher.h>
#include <crypto/hash.h>
#include <crypto/hmac.h>
#include <crypto/ivgen.h>

size_t use(void);
size_t use(void)
{
    g_autoptr(QCryptoCipher) cipher = NULL;
    g_autoptr(QCryptoHash) hash = NULL;
    g_autoptr(QCryptoHmac) hmac = NULL;
    g_autoptr(QCryptoIVGen) ivgen = NULL;
    return sizeof(*cipher) + sizeof(*hash) + sizeof(*hmac) + sizeof(ivgen);
}
