/* QEMU's include path. SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <qcrypto.h>
