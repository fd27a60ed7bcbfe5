//! The affine maps around the inversion, made by the compiler from their definitions.

/// The polynomial of SM4's field: x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1.
const SM4_FIELD: u16 = 0x1f5;

/// The polynomial of AES's field (FIPS 197 section 4.2): x^8 + x^4 + x^3 + x + 1.
const AES_FIELD: u16 = 0x11b;

/// The results of a map for the low and for the high half of a byte, which add up to the result for the byte.
pub(super) struct Halves {
    pub(super) low: [u8; 16],
    pub(super) high: [u8; 16],
}

/// [`BEFORE`]
pub(super) static BEFORE_HALVES: Halves = BEFORE.halves();

/// From an output of AES's S-box, which inverts too, to the output of SM4's.
pub(super) static AFTER_AES_HALVES: Halves = AES_MAP.inverse().then(AFTER).halves();

/// An order of the bytes of four words that AES's exchange of bytes (ShiftRows, FIPS 197 section 5.1.2) turns into the
/// usual one.
pub(super) static UNSHIFTED_ROWS: [u8; 16] = [0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3];

/// The bytes of four words turned to the left by none, one, two and three.
pub(super) static ROTATED: [[u8; 16]; 4] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14],
    [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13],
    [1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12],
];

/// The bytes of four words the other way round.
pub(super) static BIG_ENDIAN: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];

/// From an input of the S-box to the element of AES's field that is to be inverted.
pub(super) const BEFORE: Affine = SM4_MAP.then(Affine::linear(sm4_to_aes()));

/// From the inverse to the output of the S-box.
pub(super) const AFTER: Affine = Affine::linear(sm4_to_aes()).inverse().then(SM4_MAP);

/// The map that SM4's S-box begins and ends with. (Liu and others: "Analysis of the SMS4 Block Cipher", 2007, section 3.)
const SM4_MAP: Affine = Affine {
    columns: columns_of_rows([
        0xa7_u8.rotate_left(0),
        0xa7_u8.rotate_left(1),
        0xa7_u8.rotate_left(2),
        0xa7_u8.rotate_left(3),
        0xa7_u8.rotate_left(4),
        0xa7_u8.rotate_left(5),
        0xa7_u8.rotate_left(6),
        0xa7_u8.rotate_left(7),
    ]),
    constant: 0xd3,
};

/// The map that AES's S-box ends with, FIPS 197 section 5.1.1.
const AES_MAP: Affine = Affine {
    columns: columns_of_rows([
        0xf1_u8.rotate_left(0),
        0xf1_u8.rotate_left(1),
        0xf1_u8.rotate_left(2),
        0xf1_u8.rotate_left(3),
        0xf1_u8.rotate_left(4),
        0xf1_u8.rotate_left(5),
        0xf1_u8.rotate_left(6),
        0xf1_u8.rotate_left(7),
    ]),
    constant: 0x63,
};

/// A map of bytes, linear in their bits but for a constant.
#[derive(Clone, Copy)]
pub(super) struct Affine {
    /// What each bit adds to the result, the lowest first.
    columns: [u8; 8],
    /// What is added whatever the bits.
    constant: u8,
}

impl Affine {
    const fn linear(columns: [u8; 8]) -> Self {
        Self { columns, constant: 0 }
    }

    const fn of(&self, byte: u8) -> u8 {
        let mut result = self.constant;
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                result ^= self.columns[bit];
            }
            bit += 1;
        }
        result
    }

    /// This map, then another.
    const fn then(self, next: Self) -> Self {
        let constant = next.of(self.constant);
        let mut columns = [0; 8];
        let mut bit = 0;
        while bit < 8 {
            columns[bit] = next.of(self.of(1 << bit)) ^ constant;
            bit += 1;
        }
        Self { columns, constant }
    }

    /// The map that undoes this one.
    const fn inverse(self) -> Self {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            table[self.of(byte as u8) as usize] = byte as u8;
            byte += 1;
        }
        let constant = table[0];
        let mut columns = [0; 8];
        let mut bit = 0;
        while bit < 8 {
            columns[bit] = table[1 << bit] ^ constant;
            bit += 1;
        }
        Self { columns, constant }
    }

    /// The map as two tables.
    const fn halves(&self) -> Halves {
        let mut halves = Halves { low: [0; 16], high: [0; 16] };
        let mut half = 0;
        while half < 16 {
            halves.low[half] = self.of(half as u8);
            halves.high[half] = self.of((half << 4) as u8) ^ self.constant;
            half += 1;
        }
        halves
    }

    /// The matrix as `gf2p8affineqb` takes it: the row of the result's highest bit in the lowest byte.
    pub(super) const fn matrix(&self) -> u64 {
        let mut matrix = 0;
        let mut row = 0;
        while row < 8 {
            let mut bit = 0;
            while bit < 8 {
                let entry = (self.columns[bit] >> row & 1) as u64;
                matrix |= entry << (8 * (7 - row) + bit);
                bit += 1;
            }
            row += 1;
        }
        matrix
    }

    pub(super) const fn constant(&self) -> u8 {
        self.constant
    }
}

/// A matrix the other way round: bit i of a row is what bit i of the argument adds to the row's bit of the result.
const fn columns_of_rows(rows: [u8; 8]) -> [u8; 8] {
    let mut columns = [0; 8];
    let mut row = 0;
    while row < 8 {
        let mut bit = 0;
        while bit < 8 {
            columns[bit] |= (rows[row] >> bit & 1) << row;
            bit += 1;
        }
        row += 1;
    }
    columns
}

const fn multiply(a: u8, b: u8, field: u16) -> u8 {
    let (mut a, mut b, mut product) = (a as u16, b, 0);
    while b != 0 {
        if b & 1 != 0 {
            product ^= a;
        }
        a <<= 1;
        if a & 0x100 != 0 {
            a ^= field;
        }
        b >>= 1;
    }
    product as u8
}

/// The names in AES's field of the powers of x in SM4's: those of a root of SM4's polynomial there.
const fn sm4_to_aes() -> [u8; 8] {
    let mut candidate = 2;
    loop {
        let mut powers = [1; 8];
        let mut power = 1;
        while power < 8 {
            powers[power] = multiply(powers[power - 1], candidate, AES_FIELD);
            power += 1;
        }
        let eighth = multiply(powers[7], candidate, AES_FIELD);
        // The lower terms of the polynomial are what x^8 is.
        if Affine::linear(powers).of(SM4_FIELD as u8) == eighth {
            return powers;
        }
        candidate += 1;
    }
}
